/** Systems of a team with their glossaries and memories, as texts that replicas keep alike. */

import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { AppError } from '../../protocol/index.ts';
import { changeFile, withLock } from '../../store/changeFile.ts';
import { makePrivateDir, readPlainText, writePrivateFile } from '../../store/files.ts';
import { removePath } from '../../store/movePath.ts';
import { categoryName, removeSystem, systemsLock } from '../translate/translateSystems.ts';
import type { LocalTexts } from './sharedTexts.ts';

/** What travels: `system.json` with the files that it names, each under a name of its content. */
interface SystemText {
	readonly system: { readonly pairs: readonly Pair[] };
	readonly files: Readonly<Record<string, string>>;
}

type Pair = Readonly<Record<string, unknown>> & {
	readonly glossaries?: readonly string[];
	readonly memories?: readonly string[];
};

/** `16 hex digits-name.tsv` */
const fileShape = /^[0-9a-f]{16}-[\w.@ +-]{1,100}$/;

/** @param folder holds a folder per category */
export function systemTexts(folder: string): LocalTexts {
	let known:
		| { readonly stamp: string; readonly texts: ReadonlyMap<string, string | undefined> }
		| undefined;
	const categories = async (): Promise<string[]> =>
		(await readdir(folder).catch(() => [])).filter((name) => categoryName(name) === name).sort();
	const isThere = (path: string) =>
		stat(path).then(
			() => true,
			() => false,
		);
	const stamp = async (): Promise<string> => {
		const parts: string[] = [];
		for (const category of await categories())
			for (const path of await pathsOf(folder, category)) {
				const facts = await stat(path).catch(() => undefined);
				parts.push(JSON.stringify([path, facts?.mtimeMs, facts?.size]));
			}
		return parts.join('\n');
	};
	return {
		stamp,
		read: async () => {
			const now = await stamp();
			if (known?.stamp === now) return known.texts;
			if (!(await isThere(folder))) return undefined;
			const texts = new Map<string, string | undefined>();
			for (const category of await categories())
				if (await isThere(join(folder, category, 'system.json')))
					texts.set(category, await textOf(folder, category));
			known = { stamp: now, texts };
			return texts;
		},
		write: async (category, text) => {
			if (categoryName(category) !== category || category.includes(':'))
				throw new AppError('invalid_request', 'No system can be called so.');
			if (text === undefined) return removeSystem(folder, category);
			await writeSystem(folder, category, JSON.parse(text) as SystemText);
		},
		removed: () => new Set(),
	};
}

async function pairsOf(folder: string, category: string): Promise<readonly Pair[] | undefined> {
	try {
		const text = await readPlainText(join(folder, category, 'system.json'));
		const { pairs } = JSON.parse(text ?? '') as { readonly pairs?: unknown };
		return Array.isArray(pairs) ? (pairs as Pair[]) : undefined;
	} catch {
		// Requests that name it say what is wrong with it.
		return undefined;
	}
}

const placeOf = (folder: string, category: string, file: string): string =>
	isAbsolute(file) ? file : join(folder, category, file);

async function pathsOf(folder: string, category: string): Promise<string[]> {
	const files = (await pairsOf(folder, category))?.flatMap(({ glossaries = [], memories = [] }) => [
		...glossaries,
		...memories,
	]);
	return [
		join(folder, category, 'system.json'),
		...(files ?? []).map((file) => placeOf(folder, category, file)),
	];
}

/** The same text for the same system on every replica; `undefined` while it cannot be read. */
async function textOf(folder: string, category: string): Promise<string | undefined> {
	const pairs = await pairsOf(folder, category);
	if (pairs === undefined) return undefined;
	const files = new Map<string, string>();
	const named = async (file: string): Promise<string> => {
		const text = await readPlainText(placeOf(folder, category, file));
		if (text === undefined) throw new AppError('not_found', `${file} is missing.`);
		const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
		const plain = basename(file)
			.replace(/^[0-9a-f]{16}-/, '')
			.replaceAll(/[^\w.@ +-]/g, '_');
		const name = `${hash}-${plain.slice(-100)}`;
		files.set(name, text);
		return name;
	};
	try {
		const shared: Pair[] = [];
		for (const { glossaries = [], memories = [], ...rest } of pairs) {
			const names = { glossaries: [] as string[], memories: [] as string[] };
			for (const file of glossaries) names.glossaries.push(await named(file));
			for (const file of memories) names.memories.push(await named(file));
			shared.push({ ...sorted(rest), ...names });
		}
		return JSON.stringify({
			system: { pairs: shared },
			files: sorted(Object.fromEntries(files)),
		});
	} catch {
		return undefined;
	}
}

const sorted = <T extends object>(fields: T): T =>
	Object.fromEntries(
		Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1)),
	) as T;

async function writeSystem(
	folder: string,
	category: string,
	{ system, files }: SystemText,
): Promise<void> {
	const wrong = Object.keys(files).find((name) => !fileShape.test(name));
	if (!Array.isArray(system?.pairs) || wrong !== undefined)
		throw new AppError('invalid_request', 'What Redis holds under this name is no system.');
	const path = join(folder, category, 'system.json');
	await makePrivateDir(join(folder, category));
	// Files first: a system.json never names one that is not there yet.
	for (const [name, text] of Object.entries(files)) {
		const place = join(folder, category, name);
		const facts = await stat(place).catch(() => undefined);
		if (facts?.size !== Buffer.byteLength(text)) await writePrivateFile(place, text);
	}
	await changeFile(path, () => `${JSON.stringify(system, null, '\t')}\n`, {
		lock: systemsLock(folder),
	});
	const kept = new Set(Object.keys(files));
	await withLock(systemsLock(folder), async () => {
		for (const name of await readdir(join(folder, category)))
			if (fileShape.test(name) && !kept.has(name))
				await removePath(join(folder, category, name), { force: true });
	});
}
