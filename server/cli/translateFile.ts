/** `nearglot translate FILE`: a document of a known format; everything but its words stays. */

import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import {
	documentFormats,
	formatOf,
	translateDocument,
} from '../translate/documents/translateDocument.ts';
import { type CommandIo, UsageError } from './command.ts';
import { plainText } from './plainText.ts';

/** Asks for translations of texts into one language, in order. */
export type Ask = (texts: readonly string[], to: string) => Promise<readonly string[]>;

/** Items and characters of one request, within the limits of the interface. */
const mostItems = 100;
const mostCharacters = 40_000;
const mostBytes = 20 * 2 ** 20;

/** Whether an argument means a file: it exists and looks like a path rather than like words. */
export async function isDocument(given: string): Promise<boolean> {
	if (/\n/.test(given) || !/[./\\]/.test(given) || given.length > 4096) return false;
	const found = await stat(given).catch(() => undefined);
	return found?.isFile() === true;
}

/**
 * Translates a file into every target. With one target and no `out` the result goes to standard
 * output; `{to}` in `out` stands for the language. Existing files are only replaced with `force`.
 */
export async function translateFile(
	path: string,
	targets: readonly string[],
	out: string | undefined,
	force: boolean,
	ask: Ask,
	io: CommandIo,
): Promise<number> {
	const format = formatOf(path);
	if (format === undefined)
		throw new UsageError(
			`${path} is of no format that can be translated whole. Known: ${Object.keys(documentFormats).join(', ')}.`,
		);
	if (targets.length > 1 && out?.includes('{to}') !== true)
		throw new UsageError(
			'Several languages need --out with {to} in it, e.g. --out "guide.{to}.md".',
		);
	if ((await stat(path)).size > mostBytes)
		throw new UsageError(`${path} is larger than ${mostBytes / 2 ** 20} MiB.`);
	const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
		await readFile(path),
	);
	let status = 0;
	for (const to of targets) {
		const result = await translateDocument(text, format, (texts) => inBatches(texts, to, ask), to);
		for (const refused of result.refused)
			io.stderr.write(
				`left as it was (${to}): ${plainText(refused).replace(/\s+/g, ' ').slice(0, 120)}\n`,
			);
		if (out === undefined) io.stdout.write(result.text);
		else {
			const target = out.replaceAll('{to}', to);
			await writeWhole(target, result.text, force);
			io.stderr.write(
				`${target}: ${result.pieces - result.refused.length} of ${result.pieces} texts translated\n`,
			);
		}
		if (result.refused.length > 0) status = 1;
	}
	return status;
}

async function inBatches(texts: readonly string[], to: string, ask: Ask): Promise<string[]> {
	const done: string[] = [];
	let batch: string[] = [];
	let size = 0;
	const flush = async () => {
		if (batch.length > 0) done.push(...(await ask(batch, to)));
		batch = [];
		size = 0;
	};
	for (const text of texts) {
		if (batch.length >= mostItems || size + text.length > mostCharacters) await flush();
		batch.push(text);
		size += text.length;
	}
	await flush();
	return done;
}

async function writeWhole(path: string, text: string, force: boolean): Promise<void> {
	if (!force && (await stat(path).catch(() => undefined)) !== undefined)
		throw new UsageError(`${path} exists already; choose another name or add --force.`);
	const temporary = `${path}.${process.pid}.new`;
	const handle = await open(temporary, 'w');
	try {
		await handle.writeFile(text);
		await handle.close();
		await rename(temporary, path);
	} catch (error) {
		await handle.close().catch(() => undefined);
		await rm(temporary, { force: true });
		throw error;
	}
}
