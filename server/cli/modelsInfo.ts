/**
 * `nearglot models info FOLDER | MODEL`: what a model is and whether it can run, from its files alone; with `--compare`
 * also what the model server says of a text with exact activations and without.
 */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { thisMachine } from '../daemon/machine.ts';
import { dataDir } from '../daemon/paths.ts';
import { VerdictFile } from '../daemon/verdictFile.ts';
import type { ModelDescription, ModelVariant } from '../engine/api.ts';
import { describeModel } from '../engine/modelFiles/describe.ts';
import { chooseVariant } from '../engine/modelFiles/variants.ts';
import { readManifest } from '../hub/manifest.ts';
import { findModel, type ModelNotice } from '../protocol/index.ts';
import { listOwnModels } from '../protocol/routeAddresses.ts';
import { absentModelText } from './absentModel.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { compareExact } from './exactComparison.ts';
import { lossText } from './lossText.ts';
import { byteText, table } from './textTable.ts';

/** Prints the description of a folder or of a model the daemon knows; 1 when it cannot run here. */
export async function modelInfoCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { json: { type: 'boolean' }, compare: { type: 'string' } });
	const text = options.text('compare');
	const [name, ...more] = options.positionals;
	if (name === undefined || more.length > 0) {
		throw new UsageError('models info takes one folder or one model.');
	}
	const { found, absent } = await findFolder(name, io);
	if (text !== undefined) {
		if (options.has('json')) throw new UsageError('--compare prints text; leave --json out.');
		if (found?.model === undefined)
			throw new UsageError(
				'--compare takes a model that the model server knows, see: nearglot models list',
			);
		const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
		io.stdout.write(`${await compareExact(daemon, found.model, text, io.signal)}\n`);
		return 0;
	}
	if (found === undefined) {
		io.stderr.write(`${absent}\n`);
		return 1;
	}
	const description = await describeModel(found.folder);
	io.stdout.write(
		options.has('json') ? `${JSON.stringify(description, null, '\t')}\n` : infoText(description),
	);
	const kept = await keptText(found.folder, io);
	if (kept !== '' && !options.has('json')) io.stdout.write(`\n${kept}\n`);
	const unverified = await unverifiedText(found.folder);
	if (unverified !== '' && !options.has('json')) io.stdout.write(`\n${unverified}\n`);
	if (found.notices.length > 0 && !options.has('json')) {
		const lines = found.notices.map(({ kind, message }) =>
			kind === 'fallback' ? `Warning: ${message}` : message,
		);
		io.stdout.write(`\nAs it is loaded now\n${bullets(lines)}\n`);
	}
	return description.problems.length === 0 ? 0 : 1;
}

/** What the data folder holds of a model's rewritten graphs, which are in memory only. */
async function keptText(folder: string, { env }: CommandIo): Promise<string> {
	const file = new VerdictFile(dataDir(thisMachine(env)));
	const verdicts = await file.of(folder);
	if (verdicts.length === 0) return '';
	const size = byteText(JSON.stringify(verdicts).length);
	const lines = verdicts.map(({ of, refusal }) => `${of}: ${refusal?.reason ?? 'gives the same'}`);
	return `Rewritten graphs, as compared with the published ones (${size} of ${file.path})\n${bullets(lines)}`;
}

/** Files of a download that could not be compared with anything. */
async function unverifiedText(folder: string): Promise<string> {
	const files = (await readManifest(folder))?.files ?? [];
	const paths = files.flatMap(({ path, unverified }) => (unverified === true ? [path] : []));
	if (paths.length === 0) return '';
	return `Not verified, because the hub stated no hash for them\n${bullets(paths)}`;
}

/** The text of {@link modelInfoCommand} for a folder. @throws AppError `unsupported_model` when it holds no model */
export async function modelInfoText(folder: string): Promise<string> {
	return infoText(await describeModel(folder));
}

interface FoundFolder {
	readonly folder: string;
	/** Its name at the model server; absent for a folder. */
	readonly model?: string;
	/** What the engine remarked while loading the model, when it is loaded. */
	readonly notices: readonly ModelNotice[];
}

/** @returns what was found, or what to say where nothing was */
async function findFolder(
	name: string,
	io: CommandIo,
): Promise<{ readonly found?: FoundFolder; readonly absent?: string }> {
	const path = resolve(name);
	const isFolder = await stat(path).then(
		(found) => found.isDirectory(),
		() => false,
	);
	if (isFolder) return { found: { folder: path, notices: [] } };
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const { models } = await daemon.call(listOwnModels, {}, { signal: io.signal });
	const model = findModel(
		models.filter((one) => one.folder !== undefined),
		name,
	);
	if (model?.folder === undefined)
		return { absent: `${path} is no folder. ${absentModelText(name, models)}` };
	const { folder, id, notices = [] } = model;
	return { found: { folder, model: id, notices } };
}

const layouts: Readonly<Record<ModelDescription['layout'], string>> = {
	'transformers.js': 'transformers.js (config.json and onnx/)',
	genai: 'onnxruntime-genai (genai_config.json)',
};

function infoText(model: ModelDescription): string {
	const chosen = chooseVariant(model.variants, model.architecture);
	const cache =
		model.layers > 0
			? `${model.layers} layers, ${model.kvHeads} key/value heads of ${model.headSize}`
			: '';
	const rows: (readonly [string, string])[] = [
		['Folder', model.folder],
		['Family', `${model.family} (${model.architecture})`],
		['Task', model.task],
		['Layout', layouts[model.layout]],
		['Context', model.contextLength > 0 ? `${count(model.contextLength)} tokens` : 'not stated'],
		[
			'Vocabulary',
			model.vocabularySize > 0 ? `${count(model.vocabularySize)} tokens` : 'not stated',
		],
		['Shape', cache],
		['End tokens', model.eosTokenIds.join(', ')],
		['Chat', chatText(model)],
		['Earlier turns', historyText(model)],
		['Lost by building', model.loss === undefined ? '' : lossText(model.loss)],
		[
			'Memory',
			`about ${byteText(model.memoryEstimateBytes)} for ${chosen?.precision ?? 'it'} while loaded`,
		],
	];
	const shown = rows.filter(([, value]) => value !== '');
	const parts = [
		table(shown),
		'Variants',
		table(model.variants.map((variant) => variantRow(variant, chosen))),
	];
	if (model.problems.length > 0) parts.push('Cannot run here', bullets(model.problems));
	else parts.push('Can run here.');
	if (model.notes.length > 0) parts.push('Notes', bullets(model.notes));
	return `${parts.join('\n')}\n`;
}

function chatText(model: ModelDescription): string {
	if (model.architecture !== 'decoder') return '';
	if (!model.hasChatTemplate) return 'no template: completions only';
	return model.supportsTools
		? 'template with tools'
		: 'template without tools (they are described in the system message)';
}

function historyText({ maxHistoryTurns: turns }: ModelDescription): string {
	if (turns === undefined) return '';
	return turns === 0 ? 'none is read' : `the last ${count(turns)} are read`;
}

function variantRow(variant: ModelVariant, chosen: ModelVariant | undefined): string[] {
	const files = Object.values(variant.files).join(', ');
	const name =
		variant.label === undefined ? variant.precision : `${variant.precision} ${variant.label}`;
	return [`  ${variant === chosen ? '*' : ' '} ${name}`, byteText(variant.sizeBytes), files];
}

function bullets(lines: readonly string[]): string {
	return lines.map((line) => `  - ${line}`).join('\n');
}

function count(value: number): string {
	return value.toLocaleString('en');
}
