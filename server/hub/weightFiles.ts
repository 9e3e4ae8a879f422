/**
 * Weights of a repository without graphs, of which a model is built: GGUF files in one of several forms,
 * or safetensors. Which, and what that costs in fidelity, is said in words.
 */

import { AppError } from '../protocol/index.ts';
import type { HubFile } from './repository.ts';
import {
	isBuildSide,
	isGenerationConfig,
	isGgufSide,
	isLicenceFile,
	readableFiles,
} from './sideFiles.ts';

export interface WeightFiles {
	readonly format: 'gguf' | 'safetensors';
	/** How the weights are stored, as the file's name says: `Q4_K_M`, `F16`; safetensors do not say. */
	readonly form?: string;
	/** All parts, in order. */
	readonly weights: readonly HubFile[];
	/** Settings, tokenizer, templates, licence: small files that are fetched whole. */
	readonly sides: readonly HubFile[];
	/** Folder of the repository they lie in; `''` for its root. */
	readonly root: string;
	/** Bytes that are read of all of them. */
	readonly sizeBytes: number;
	/** Why these: a sentence. */
	readonly reason: string;
}

/** What published forms lose, for people; the first that a repository has is taken where nobody asks for another. */
const forms: readonly (readonly [form: RegExp, loss: string])[] = [
	[/^Q4_K_M$/, 'a small loss'],
	[/^(Q4_K(_[SXL]+)?|Q4_1)$/, 'a small loss'],
	[/^(Q4_0|IQ4_(NL|XS)|MXFP4.*)$/, 'a small loss'],
	[/^Q5_/, 'a very small loss'],
	[/^Q6_K/, 'hardly any loss'],
	[/^Q8_0/, 'hardly any loss'],
	[/^Q3_K|^IQ3_/, 'a noticeable loss'],
	[
		/^(F16|BF16|F32)$/,
		'no loss of its own; four bits (eight of a small model) are made of it here, with a small one',
	],
	[/^(Q2_|IQ[12]_|TQ[12]_)/, 'a large loss'],
];

/** The same where its numbers are kept. */
export const reasonOfKept = ({ reason }: Pick<WeightFiles, 'reason'>): string =>
	reason.replace(
		/four bits \(eight of a small model\) are made of (it|them) here, with a small (one|loss)/,
		(_, what) => `${what === 'it' ? 'its' : 'their'} numbers stay as precise as they are`,
	);

/** Parts of one model. */
const maxParts = 1000;
const weightsFile = /^model(-\d{5}-of-\d{5})?\.safetensors$/;

export interface WeightOptions {
	/** A folder, a `.gguf` file, or a form of one (`Q8_0`). */
	readonly path?: string;
}

/**
 * The weights to build of, or `undefined` where there are none.
 * @throws AppError `invalid_request` when the file or form that is asked for is not there
 */
export function selectWeights(
	files: readonly HubFile[],
	{ path = '' }: WeightOptions = {},
): WeightFiles | undefined {
	const models = ggufModels(files);
	if (/\.gguf$/i.test(path)) return oneFile(models, path, files);
	const folder = path === '' || files.some((file) => file.path.startsWith(`${path}/`));
	if (!folder) return ofForm(models, path, files);
	const inside = (file: HubFile) => folderOf(file.path) === path;
	const safetensors = files.filter((file) => inside(file) && weightsFile.test(nameOf(file.path)));
	const own = models.filter(({ files: [first] }) => first !== undefined && inside(first));
	// Each form may lie in a folder of its own.
	const among = own.length > 0 || path !== '' || safetensors.length > 0 ? own : models;
	const best = bestOf(among);
	if (best !== undefined) refuseOthers(among, best);
	if (best !== undefined) return weightsOf(best, `${describe(best)}${others(models, best)}`, files);
	if (safetensors.length === 0 || !files.some((file) => file.path === join(path, 'config.json'))) {
		refuseIncomplete(files, inside);
		return undefined;
	}
	const sides = readableFiles(files, path, isBuildSide);
	return {
		format: 'safetensors',
		weights: [...safetensors].sort((a, b) => a.path.localeCompare(b.path)),
		sides,
		root: path,
		sizeBytes: sizeOf(safetensors) + sizeOf(sides),
		reason:
			'It has safetensors; four bits (eight of a small model) are made of them here, with a small loss.',
	};
}

interface GgufModel {
	readonly form: string | undefined;
	readonly files: readonly HubFile[];
}

/** Files of one model each: split ones together where all parts are there, projectors of images and other helpers left out. */
function ggufModels(files: readonly HubFile[]): GgufModel[] {
	return ggufGroups(files).flatMap(({ key, parts, count }) => {
		if (parts.length !== count || count > maxParts) return [];
		const sorted = [...parts].sort((a, b) => a.path.localeCompare(b.path));
		return [{ form: formOf(key), files: sorted }];
	});
}

interface GgufGroup {
	/** Path, without the number of the part. */
	readonly key: string;
	readonly parts: readonly HubFile[];
	/** How many there should be. */
	readonly count: number;
}

function ggufGroups(files: readonly HubFile[]): GgufGroup[] {
	const groups = new Map<string, HubFile[]>();
	for (const file of files) {
		const name = nameOf(file.path);
		if (!/\.gguf$/i.test(name) || /mmproj|imatrix|(^|[-_.])(lora|vocab)([-_.]|$)/i.test(name))
			continue;
		const key = file.path.replace(/-\d{5}-of-(\d{5})\.gguf$/i, '-of-$1.gguf');
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [file]);
		else if (group.length <= maxParts) group.push(file);
	}
	return Array.from(groups, ([key, parts]) => {
		const count = Number(/-of-(\d{5})\.gguf$/i.exec(key)?.[1] ?? 1);
		return { key, parts, count };
	});
}

/** Says of a model that was cut into parts which of them are missing, where that is all there is of what is asked for. */
function refuseIncomplete(files: readonly HubFile[], isMeant: (file: HubFile) => boolean): void {
	const found = ggufGroups(files).find(
		({ parts, count }) => parts.length !== count && count <= maxParts && parts.some(isMeant),
	);
	if (found === undefined) return;
	const { key, parts, count } = found;
	const there = new Set(parts.map(({ path }) => Number(/-(\d{5})-of-/.exec(path)?.[1])));
	const missing: number[] = [];
	for (let part = 1; part <= count && missing.length < 8; part++)
		if (!there.has(part)) missing.push(part);
	throw new AppError(
		'unsupported_model',
		`${nameOf(key).replace(/-of-\d{5}\.gguf$/i, '')} was cut into ${count} files, of which the repository lacks ${missing.join(', ')}. Look for another repository of the model, or take another of its forms.`,
	);
}

/** `Q4_K_M` of `model-Q4_K_M.gguf` or `Q4_K_M/model.gguf`. */
function formOf(path: string): string | undefined {
	const found = path.match(
		/(?<![A-Za-z0-9])(I?Q\d(_[A-Z0-9]{1,3}){0,3}|TQ\d_\d|B?F16|F32|MXFP4(_[A-Z]+)?)(?![A-Za-z0-9])/gi,
	);
	return found?.at(-1)?.toUpperCase();
}

const rankOf = ({ form = '' }: GgufModel): number => {
	const at = forms.findIndex(([known]) => known.test(form));
	return at < 0 ? forms.length : at;
};

function bestOf(models: readonly GgufModel[]): GgufModel | undefined {
	return [...models].sort((a, b) => rankOf(a) - rankOf(b) || sizeOf(a.files) - sizeOf(b.files))[0];
}

/** Two of one form are two models, of which nobody has said which is meant. */
function refuseOthers(models: readonly GgufModel[], chosen: GgufModel): void {
	const same = models.filter(({ form }) => form === chosen.form);
	if (same.length < 2) return;
	const names = same.flatMap(({ files: [first] }) => first?.path ?? []);
	throw new AppError(
		'invalid_request',
		`The repository has ${same.length} models${chosen.form === undefined ? '' : ` as ${chosen.form}`}. Name one, as OWNER/NAME:FILE: ${names.slice(0, 12).join(', ')}.`,
		{ param: 'model' },
	);
}

function oneFile(
	models: readonly GgufModel[],
	path: string,
	files: readonly HubFile[],
): WeightFiles {
	const lower = path.toLowerCase();
	const found = models.find((model) =>
		model.files.some((file) =>
			[file.path, nameOf(file.path)].some((at) => at.toLowerCase() === lower),
		),
	);
	if (found !== undefined) return weightsOf(found, describe(found), files);
	refuseIncomplete(files, (file) =>
		[file.path, nameOf(file.path)].some((at) => at.toLowerCase() === lower),
	);
	const given = files.filter((file) => /\.gguf$/i.test(file.path)).map((file) => file.path);
	throw new AppError(
		'invalid_request',
		`The repository has no model ${JSON.stringify(path)}; it has ${given.slice(0, 12).join(', ') || 'no GGUF files'}.`,
		{ param: 'model' },
	);
}

function ofForm(
	models: readonly GgufModel[],
	asked: string,
	files: readonly HubFile[],
): WeightFiles | undefined {
	const isAsked = (form: string | undefined) => form === asked.toUpperCase();
	const found = bestOf(models.filter(({ form }) => isAsked(form)));
	if (found === undefined) refuseIncomplete(files, ({ path }) => isAsked(formOf(path)));
	if (models.length === 0) return undefined;
	if (found !== undefined) {
		refuseOthers(models, found);
		return weightsOf(found, describe(found), files);
	}
	throw new AppError(
		'invalid_request',
		`The repository has no ${JSON.stringify(asked)}; it has ${formsIn(models) || models.flatMap(({ files: [first] }) => first?.path ?? []).join(', ')}.`,
		{ param: 'model' },
	);
}

function formsIn(models: readonly GgufModel[]): string {
	return [...new Set(models.flatMap(({ form }) => form ?? []))].slice(0, 24).join(', ');
}

function weightsOf(
	{ form, files }: GgufModel,
	reason: string,
	all: readonly HubFile[],
): WeightFiles {
	const root = folderOf(files[0]?.path ?? '');
	const settings = root === '' ? [] : readableFiles(all, root, isGenerationConfig);
	// What lies beside the file is said of it rather than of all.
	const ofAll = readableFiles(all, '', settings.length === 0 ? isGgufSide : isLicenceFile);
	const sides = [...ofAll, ...settings];
	const projector = all.find(({ path }) => isProjector(path));
	return {
		format: 'gguf',
		...(form === undefined ? {} : { form }),
		weights: files,
		sides,
		root,
		sizeBytes: sizeOf(files) + sizeOf(sides),
		reason:
			projector === undefined
				? reason
				: `${reason} ${textOnly(`${nameOf(projector.path)} is not read`)}`,
	};
}

/** Said of models that also read images or sound where they were published. */
export const textOnly = (why: string): string => `It will read text only: ${why}.`;

/** Whether a file holds what makes vectors of images or sound for a language model in another file. */
export const isProjector = (path: string): boolean =>
	/\.gguf$/i.test(path) && /mmproj/i.test(nameOf(path));

function describe({ form, files }: GgufModel): string {
	const loss = forms.find(([known]) => known.test(form ?? ''))?.[1];
	const name = nameOf(files[0]?.path ?? '');
	const means = form === undefined || loss === undefined ? '' : `, whose ${form} means ${loss}`;
	return `It is built of the GGUF file ${name}${means}.`;
}

function others(models: readonly GgufModel[], best: GgufModel): string {
	const rest = formsIn(models.filter((model) => model !== best && model.form !== best.form));
	return rest === '' ? '' : ` Others: ${rest}.`;
}

const sizeOf = (files: readonly HubFile[]) =>
	files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const join = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`);
