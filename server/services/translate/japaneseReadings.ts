/**
 * Fetches the dictionary that reads Japanese characters aloud, for installations that came without it
 * (the editor's package would be half as large again). It is IPADIC as the npm package kuromoji has it.
 */

import { createHash } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unpack } from '../../hub/archive.ts';
import type { HubHttp } from '../../hub/http.ts';
import { discard } from '../../hub/responseBody.ts';
import { AppError } from '../../protocol/index.ts';
import { makeFolder } from '../../store/makeFolder.ts';
import { movePath, removePath } from '../../store/movePath.ts';

/** The one version that is known to fit; its hash is that of `package-lock.json`. */
export const readingsPackage = {
	path: '/kuromoji/-/kuromoji-0.1.2.tgz',
	sha512:
		'V0dUf+C2LpcPEXhoHLMAop/bOht16Dyr+mDiIE39yX3vqau7p80De/koFqpiTcL1zzdZlc3xuHZ8u5gjYRfFaQ==',
} as const;

/** Far more than the package has. */
const maxBytes = 64 * 2 ** 20;

/**
 * Puts the dictionary files into `folder`, which appears complete or not at all.
 *
 * @param http Client of a package registry.
 * @throws AppError `download_failed` when the registry refuses or sends something else.
 */
export async function fetchReadings(
	http: HubHttp,
	folder: string,
	signal: AbortSignal,
	wanted: { readonly path: string; readonly sha512: string } = readingsPackage,
): Promise<void> {
	const base = http.endpoint.href.replace(/\/+$/, '');
	const response = await http.get(`${base}${wanted.path}`, {}, signal);
	if (!response.ok) {
		discard(response);
		throw new AppError(
			'download_failed',
			`The registry ${http.endpoint.host} answered ${response.status} for the dictionary. Another one can be named in npm_config_registry.`,
		);
	}
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of response.body ?? []) {
		const bytes = chunk as Buffer;
		size += bytes.length;
		if (size > maxBytes) throw new AppError('download_failed', 'The dictionary is too large.');
		chunks.push(bytes);
	}
	const archive = Buffer.concat(chunks);
	if (createHash('sha512').update(archive).digest('base64') !== wanted.sha512)
		throw new AppError(
			'download_failed',
			'The dictionary arrived damaged: its hash is not the known one. Try again later.',
		);
	makeFolder(dirname(folder));
	const temporary = await mkdtemp(`${folder}.`);
	try {
		const file = join(temporary, 'package.tgz');
		await writeFile(file, archive);
		await unpack(file, join(temporary, 'all'), signal);
		await removePath(folder, { recursive: true, force: true });
		await movePath(join(temporary, 'all', 'package', 'dict'), folder);
	} finally {
		await removePath(temporary, { recursive: true, force: true });
	}
}
