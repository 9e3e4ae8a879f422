/**
 * Students of Firefox Translations: small translation models, one for each direction, listed in one JSON file with
 * hashes. Directions are named like repositories of a hub, so that whatever names models can name them.
 */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { AppError } from '../protocol/index.ts';
import type { HubHttp } from './http.ts';
import { pathFault, repositoryPattern } from './names.ts';
import { hubJson, type RepositoryRetries } from './repository.ts';
import type { FoundRepository } from './searchHub.ts';

/** Where Mozilla publishes the list. */
export const studentRegistry =
	'https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json';

/** Owner of the directions' names; no hub is asked for it. */
const owner = 'firefox-translations';
export const studentLicense = 'MPL-2.0';

const maxDirections = 1000;
const maxModels = 20;

const language = z.string().regex(/^[A-Za-z]{2,8}([_-][A-Za-z0-9]{2,8}){0,2}$/);
const fileSchema = z.object({
	path: z.string(),
	uncompressedSize: z
		.int()
		.min(1)
		.max(2 ** 30),
	uncompressedHash: z.string().regex(/^[0-9a-f]{64}$/i),
});
const modelSchema = z.object({
	sourceLanguage: language,
	targetLanguage: language,
	architecture: z.string().max(100).nullish(),
	releaseStatus: z.string().max(100).nullish(),
	files: z.object({
		model: fileSchema,
		lexicalShortlist: fileSchema.nullish(),
		vocab: fileSchema.nullish(),
		srcVocab: fileSchema.nullish(),
		trgVocab: fileSchema.nullish(),
	}),
});
const registrySchema = z.object({
	baseUrl: z.string().max(2000),
	models: z.record(z.string(), z.array(z.unknown())),
});

export interface StudentFile {
	/** Name in the folder that is built from. */
	readonly name: string;
	readonly url: string;
	/** Unpacked. */
	readonly sizeBytes: number;
	/** Of the unpacked content. */
	readonly sha256: string;
}

/** One model of a direction. */
export interface StudentModel {
	/** `firefox-translations/en-de`. */
	readonly repository: string;
	readonly languages: readonly [source: string, target: string];
	/** `tiny`, `base`. */
	readonly architecture: string | undefined;
	readonly isReleased: boolean;
	readonly files: readonly StudentFile[];
	readonly sizeBytes: number;
	/** Changes with the content of any of its files. */
	readonly commit: string;
}

/** Whether a name is that of a direction rather than a repository of a hub. */
export function isStudentName(repository: string): boolean {
	return repository.toLowerCase().startsWith(`${owner}/`);
}

/** The model of a direction is called by it and by where it comes from. */
export function studentModelName(repository: string): string {
	return `firefox-${repository.slice(owner.length + 1)}`;
}

/** `English → German`. */
export function directionText([source, target]: StudentModel['languages']): string {
	return `${nameOf(source)} → ${nameOf(target)}`;
}

const names = new Intl.DisplayNames(['en'], { type: 'language' });

function nameOf(code: string): string {
	try {
		return names.of(code.replaceAll('_', '-')) ?? code;
	} catch {
		// No code of a language: it stands for itself.
		return code;
	}
}

/**
 * All models, those that are released first, the larger of them before the smaller.
 * @param http its endpoint is the address of the list
 * @throws AppError `download_failed` where it is no such list
 */
export async function readStudents(
	http: HubHttp,
	signal: AbortSignal,
	retries: RepositoryRetries = {},
): Promise<StudentModel[]> {
	const address = http.endpoint.href;
	const { value } = await hubJson(http, address, 'translation models', signal, retries);
	const parsed = registrySchema.safeParse(value);
	const base = parsed.success ? URL.parse(withSlash(parsed.data.baseUrl)) : null;
	if (!parsed.success || base === null || !/^https?:$/.test(base.protocol))
		throw new AppError(
			'download_failed',
			`The answer of ${address} is not a list of translation models. Check its address (NEARGLOT_STUDENTS).`,
		);
	const found = Object.values(parsed.data.models)
		.slice(0, maxDirections)
		.flatMap((list) => list.slice(0, maxModels).flatMap((one) => modelOf(one, base) ?? []));
	return found.sort(
		(a, b) =>
			(a.repository < b.repository ? -1 : a.repository > b.repository ? 1 : 0) ||
			Number(b.isReleased) - Number(a.isReleased) ||
			b.sizeBytes - a.sizeBytes,
	);
}

const withSlash = (address: string) => (address.endsWith('/') ? address : `${address}/`);

/** An entry that is of another kind is left out: the list grows without us. */
function modelOf(value: unknown, base: URL): StudentModel | undefined {
	const parsed = modelSchema.safeParse(value);
	if (!parsed.success) return undefined;
	const { sourceLanguage, targetLanguage, architecture, releaseStatus, files } = parsed.data;
	const repository = `${owner}/${sourceLanguage}-${targetLanguage}`;
	const { model, lexicalShortlist, vocab, srcVocab, trgVocab } = files;
	const hasVocabulary = vocab != null || (srcVocab != null && trgVocab != null);
	if (!repositoryPattern.test(repository) || !hasVocabulary) return undefined;
	const given = [
		['model.student.bin', model],
		['lex.student.bin', lexicalShortlist],
		...(vocab != null
			? ([['vocab.student.spm', vocab]] as const)
			: ([
					['srcvocab.student.spm', srcVocab],
					['trgvocab.student.spm', trgVocab],
				] as const)),
	] as const;
	const all: StudentFile[] = [];
	for (const [name, file] of given) {
		if (file == null) continue;
		const { path, uncompressedSize: sizeBytes, uncompressedHash } = file;
		if (pathFault(path) !== undefined) return undefined;
		const encoded = path.split('/').map(encodeURIComponent).join('/');
		const url = new URL(encoded, base).href;
		const sha256 = uncompressedHash.toLowerCase();
		all.push({ name, url, sizeBytes, sha256 });
	}
	const hash = createHash('sha256');
	for (const { name, sha256 } of all) hash.update(`${name} ${sha256}\n`);
	return {
		repository,
		languages: [sourceLanguage, targetLanguage],
		architecture: architecture ?? undefined,
		isReleased: /^release/i.test(releaseStatus ?? ''),
		files: all,
		sizeBytes: all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
		commit: hash.digest('hex').slice(0, 40),
	};
}

/**
 * The model of a direction.
 * @param architecture the wanted one; `''` = the first
 * @throws AppError `model_not_found` that says what there is
 */
export function chooseStudent(
	models: readonly StudentModel[],
	repository: string,
	architecture: string,
): StudentModel {
	const there = models.filter((one) => one.repository.toLowerCase() === repository.toLowerCase());
	const found =
		architecture === '' ? there[0] : there.find((one) => one.architecture === architecture);
	if (found !== undefined) return found;
	const kinds = [...new Set(there.flatMap((one) => one.architecture ?? []))];
	throw new AppError(
		'model_not_found',
		there.length === 0
			? `Firefox Translations has no model ${repository.slice(0, 200)}. 'nearglot models search --task translation' lists its directions.`
			: `${repository} has no ${JSON.stringify(architecture.slice(0, 100))}; it has ${kinds.join(', ') || 'one model'}.`,
		{ param: 'model' },
	);
}

/** Directions whose languages have every word. */
export function findStudents(models: readonly StudentModel[], words: string): FoundRepository[] {
	const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
	const found = new Map<string, FoundRepository>();
	for (const { repository, languages, architecture = '', sizeBytes } of models) {
		if (found.has(repository)) continue;
		const text = `${repository} ${languages.join(' ')} ${directionText(languages)} ${architecture} mozilla translation`;
		if (!wanted.every((word) => text.toLowerCase().includes(word))) continue;
		found.set(repository, {
			repository,
			formats: ['marian'],
			license: studentLicense,
			task: 'translation',
			title: directionText(languages),
			sizeBytes,
			isGated: false,
		});
	}
	return [...found.values()];
}
