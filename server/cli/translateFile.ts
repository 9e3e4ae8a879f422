/** `nearglot translate FILE`: a document of a known format; everything but its words stays. */

import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { messageFormatOf, translateMissing } from '../translate/documents/missingMessages.ts';
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
	const text = await readText(path);
	let status = 0;
	for (const to of targets) {
		const result = await translateDocument(text, format, (texts) => inBatches(texts, to, ask), to);
		tellRefused(result.refused, 'left as it was', to, io);
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

/**
 * Adds the messages a translated file lacks, in place; what it has stays. The file need not exist.
 *
 * @returns 1 when some could not be translated whole.
 */
export async function translateInto(
	path: string,
	target: string,
	to: string,
	ask: Ask,
	io: CommandIo,
): Promise<number> {
	const format = messageFormatOf(path);
	if (format === undefined || format !== messageFormatOf(target))
		throw new UsageError(
			'--into goes with two message files of one format: JSON, ARB, YAML, properties or po.',
		);
	const source = await readText(path);
	const isThere = (await stat(target).catch(() => undefined)) !== undefined;
	const present = isThere ? await readText(target) : '';
	const result = await translateMissing(
		source,
		present,
		format,
		(texts) => inBatches(texts, to, ask),
		to,
	);
	tellRefused(result.refused, 'not added', to, io);
	if (result.text !== present) await writeWhole(target, result.text, true);
	io.stderr.write(
		`${target}: ${result.added.length} missing message${result.added.length === 1 ? '' : 's'} added\n`,
	);
	return result.refused.length > 0 ? 1 : 0;
}

function tellRefused(
	refused: readonly string[],
	what: string,
	to: string,
	{ stderr }: CommandIo,
): void {
	for (const text of refused)
		stderr.write(`${what} (${to}): ${plainText(text).replace(/\s+/g, ' ').slice(0, 120)}\n`);
}

async function readText(path: string): Promise<string> {
	if ((await stat(path)).size > mostBytes)
		throw new UsageError(`${path} is larger than ${mostBytes / 2 ** 20} MiB.`);
	return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
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
