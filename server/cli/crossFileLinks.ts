/** Links from one translated file to a heading of another: they follow once both are there. */

import { basename, dirname, join, resolve } from 'node:path';
import type { TranslatedLinks } from '../translate/documents/documentJob.ts';
import { translatedLinksInWorker } from '../translate/documents/documentThread.ts';
import { applyEdits } from '../translate/documents/edits.ts';
import { renamed } from '../translate/documents/headingLinks.ts';
import type { OutwardLink } from '../translate/documents/slugs.ts';
import { formatOf } from '../translate/documents/translateDocument.ts';
import { type MadeFile, textHash } from '../translate/documents/translationRecord.ts';
import { type DocumentFile, readDocument, readIfThere, writeDocument } from './documentFile.ts';
import type { ProjectRecord } from './projectRecord.ts';
import type { PlannedFile } from './translationPlan.ts';

/** Something that may be a link to a place in another file, with the path of that. */
const outward = /(?<![^\s(<"'\]#])([^\s(<"'\]#]{1,400})#[^\s#]/g;
/** The same of references that name a title of a document by the path from the folder of all of them. */
const fromRoot = /:ref:`(?:[^`<]{1,300}<)?\/?(\w[\w./-]{0,300}):/g;
/** What the address of a page stands for, beside the file itself. */
const endings = ['', '.md', '.mdx', '.adoc', '.rst', '/index.md', '/index.mdx', '/README.md'];

/** What the record notes of a translation that is new: its links are to be looked at, where it can have any. */
export const notLinked = ({
	source,
	target,
}: Pick<PlannedFile, 'source' | 'target'>): { readonly unlinked?: true } =>
	source !== target && formatOf(source)?.anchors !== undefined ? { unlinked: true } : {};

/**
 * Puts the headings' names into links of translations that nobody has changed, where they or what they lead to is new.
 *
 * @returns places of other files that have changed
 */
export async function linkTranslatedFiles(
	files: readonly PlannedFile[],
	record: ProjectRecord,
	{ encoding, signal }: { readonly encoding?: string; readonly signal: AbortSignal },
): Promise<string[]> {
	const linked = files.filter((file) => notLinked(file).unlinked);
	const planned = new Set(linked.map(({ target }) => resolve(target)));
	const languages = new Set(linked.map(({ to }) => to));
	// Links lead to files that this run leaves out as well.
	const others = record
		.madeFiles([record.folder])
		.filter((file) => languages.has(file.to) && !planned.has(resolve(file.target)))
		.filter((file) => notLinked(file).unlinked);
	const all: readonly PlannedFile[] = [...others, ...linked];
	const states = new Map(all.map((file) => [file, record.file(file.target)]));
	const isNew = (file: PlannedFile) => {
		const { unlinked, leadsToNew } = states.get(file) ?? {};
		return unlinked === true && leadsToNew === undefined;
	};
	/** Whether all of its links are to be looked at, whatever they lead to. */
	const isDue = (file: PlannedFile) => {
		const { unlinked, leadsToNew } = states.get(file) ?? {};
		return unlinked === true || leadsToNew === true;
	};
	const hasNew = all.some(isNew);
	if (!hasNew && !linked.some(isDue)) return [];
	const places = new Map(all.map((file) => [resolve(file.target), file]));
	const known = new Map<PlannedFile, Promise<ReadLinks | undefined>>();
	/** The file of a link: its folder is where the link is, or one above that. */
	const fileAt = ({ target, to }: PlannedFile, path: string, isFromRoot = false) => {
		const folders = [dirname(resolve(target))];
		for (let [folder = ''] = folders; isFromRoot && folder !== record.folder; ) {
			const above = dirname(folder);
			if (above === folder) break;
			folder = above;
			// The folder of all documents is above others of that name.
			folders.unshift(folder);
		}
		for (const folder of folders) {
			const found = endings
				.map((ending) => places.get(join(folder, path + ending)))
				.find((one) => one?.to === to);
			if (found) return found;
		}
		return undefined;
	};
	/** Whether something of it may lead into what is new; it is read for that alone. */
	const mayLead = (file: PlannedFile, text: string): boolean => {
		const pathsBy = (link: RegExp) => [
			...new Set(Array.from(text.matchAll(link), ([, path = '']) => path)),
		];
		return [
			...pathsBy(outward)
				.flatMap((path) => [path, path.replace(/^[^:=]*[:=]/, ''), decoded(path)])
				.map((path) => fileAt(file, path)),
			...pathsBy(fromRoot).map((path) => fileAt(file, path, true)),
		].some((other) => other !== undefined && (isDue(file) || isNew(other)));
	};
	const linksOf = (file: PlannedFile, made?: DocumentFile) => {
		const found = known.get(file) ?? readLinks(file, made, encoding, signal);
		known.set(file, found);
		return found;
	};
	const changed: string[] = [];
	for (const file of linked) {
		await new Promise((turn) => setImmediate(turn));
		signal.throwIfAborted();
		const { target, source } = file;
		const before = record.file(target);
		const read = await readIfThere(target, encoding).catch(() => undefined);
		if (!before || !read || textHash(read.bytes) !== before.made) continue;
		if (!mayLead(file, read.text)) continue;
		const links = await linksOf(file, read);
		// What another source has become is translated first.
		if (links?.from !== before.from) continue;
		const names = new Map<string, ReadonlyMap<string, string> | undefined>();
		for (const { path, isFromRoot } of links.source) {
			const other = fileAt(file, path, isFromRoot);
			if (!names.has(path)) names.set(path, other && (await linksOf(other))?.names);
		}
		const { edits, order } = linkEdits(links, names, before);
		const isMoved = order.some((from, at) => from !== at);
		// As long as it counts as new, its links are no longer those of the source.
		const isKept = isMoved || (order.length > 0 && (before.unlinked || before.links) !== undefined);
		if (edits.length === 0 && !isKept) continue;
		const { links: _, ...rest } = before;
		const entry: MadeFile = { ...rest, source, ...(isKept ? { links: order } : {}) };
		if (edits.length === 0) {
			record.setFile(target, entry);
			continue;
		}
		const { text } = applyEdits(read.text, edits);
		const written = await writeDocument(target, text, read.encoding);
		record.setFile(target, { ...entry, made: textHash(written.bytes) });
		if (!isNew(file)) changed.push(target);
	}
	// Translations that this run does not ask for may lead to what is new: the run that asks for them looks.
	for (const file of hasNew ? others : []) {
		signal.throwIfAborted();
		const before = record.file(file.target);
		if (!before || before.leadsToNew) continue;
		const read = await readIfThere(file.target, encoding).catch(() => undefined);
		if (!read || textHash(read.bytes) !== before.made) continue;
		if (before.unlinked || mayLead(file, read.text))
			record.setFile(file.target, { ...before, source: file.source, leadsToNew: true });
	}
	for (const file of linked) markLinked(file, record);
	return changed;
}

function markLinked({ source, target }: PlannedFile, record: ProjectRecord): void {
	const { unlinked, leadsToNew, ...rest } = record.file(target) ?? {};
	if ((unlinked || leadsToNew) && 'made' in rest) record.setFile(target, { ...rest, source });
}

/** Links of a translated file and what its headings have become. */
interface ReadLinks extends Omit<TranslatedLinks, 'names'> {
	readonly names: ReadonlyMap<string, string>;
	/** Hash of the source. */
	readonly from: string;
}

function decoded(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}

async function readLinks(
	{ source, target, to }: PlannedFile,
	made: DocumentFile | undefined,
	encoding: string | undefined,
	signal: AbortSignal,
): Promise<ReadLinks | undefined> {
	try {
		const { text, bytes } = await readDocument(source, encoding);
		const own = made ?? (await readDocument(target, encoding));
		const job = { fileName: basename(source), text, to, target: own.text };
		const links = await translatedLinksInWorker(job, signal);
		return { ...links, names: new Map(links.names), from: textHash(bytes) };
	} catch {
		signal.throwIfAborted();
		// A file that is not there, or cannot be read, has no headings to link to.
		return undefined;
	}
}

/**
 * Changes of links, each into what the same link of the source has become, and which one of the source that is. Which
 * it is, the record says where their order is another; else their names do, and at last their order.
 */
function linkEdits(
	{ made, source }: ReadLinks,
	names: ReadonlyMap<string, ReadonlyMap<string, string> | undefined>,
	before: MadeFile,
): { readonly edits: { start: number; end: number; text: string }[]; readonly order: number[] } {
	const wanted = source.map(({ path, name }) => {
		const known = names.get(path);
		return (known && renamed(known, name)) ?? name;
	});
	const order = orderOf(made, source, wanted, before);
	const edits = made.flatMap(({ start, end, name, isEncoded }, at) => {
		const text = wanted[order[at] ?? -1] ?? name;
		if (text === name) return [];
		return [{ start, end, text: isEncoded ? encodeURIComponent(text) : text }];
	});
	return { edits, order: order.some((from) => from < 0) ? [] : order };
}

/** Of each link of a translation, which one of the source it is; -1 where that cannot be told. */
function orderOf(
	made: readonly OutwardLink[],
	source: readonly OutwardLink[],
	wanted: readonly string[],
	{ unlinked, links }: MadeFile,
): number[] {
	if (links?.length === made.length)
		if (links.every((from, at) => made[at]?.path === source[from]?.path)) return [...links];
	const [theirs, own] = [Map.groupBy(source, pathOf), Map.groupBy(made, pathOf)];
	// Where a link has come or gone, nobody can tell which.
	const isWhole = (path: string) => own.get(path)?.length === theirs.get(path)?.length;
	const order = made.map(() => -1);
	const taken = new Set<number>();
	/** Pairs those that have a key in common, by their order. */
	const pair = (keyOf: (from: number) => string, madeKey: (name: string) => string): void => {
		const free = Map.groupBy(source.keys(), (from) => `${source[from]?.path}#${keyOf(from)}`);
		for (const list of free.values()) list.reverse();
		made.forEach(({ path, name }, at) => {
			if (order[at] !== -1 || !isWhole(path)) return;
			const list = free.get(`${path}#${madeKey(name)}`) ?? [];
			while (taken.has(list.at(-1) ?? -1)) list.pop();
			const from = list.pop();
			if (from === undefined) return;
			order[at] = from;
			taken.add(from);
		});
	};
	const byName = (names: (from: number) => string) => pair(names, (name) => name);
	const before = (from: number) => source[from]?.name ?? '';
	const now = (from: number) => wanted[from] ?? '';
	byName(unlinked ? before : now);
	byName(unlinked ? now : before);
	pair(
		() => '',
		() => '',
	);
	return order;
}

const pathOf = ({ path }: OutwardLink): string => path;
