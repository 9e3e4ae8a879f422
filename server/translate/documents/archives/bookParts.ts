/** EPUB: the pages of a book, its table of contents and what it says of itself. Fonts may be obscured, pages not. */

import { posix } from 'node:path';
import { extractXhtml } from '../htmlDocument.ts';
import type { DocumentPart } from '../parts.ts';
import { elementsIn, localName, readXml, xmlAttribute } from '../xmlTree.ts';
import { labelTexts } from './labelTexts.ts';
import { type PartReader, protectedFile, refused, type ZipPart } from './zipFile.ts';

const package_ = labelTexts(['title', 'subject', 'description'], ['language']);
const contents = labelTexts(['text']);

export function bookParts(
	parts: readonly ZipPart[],
	reader: PartReader,
	fileName: string,
): DocumentPart[] {
	const byName = new Map(parts.map((part) => [part.name, part]));
	const part = (name: string) => {
		const found = byName.get(name);
		if (!found) throw refused(fileName, `it has no ${JSON.stringify(name.slice(0, 100))}`);
		return found;
	};
	const encrypted = encryptedNames(byName.get('META-INF/encryption.xml'), reader);
	const container = reader.text(part('META-INF/container.xml'));
	const made: DocumentPart[] = [];
	const taken = new Set<string>();
	const take = (name: string, extract: DocumentPart['extract'], text: string) => {
		if (!taken.has(name)) made.push({ name, text, extract });
		taken.add(name);
	};
	for (const root of elementsIn(readXml(container))) {
		if (localName(root) !== 'rootfile') continue;
		const name = xmlAttribute(container, root, 'full-path') ?? '';
		const opf = reader.text(part(name));
		take(name, package_, opf);
		for (const item of elementsIn(readXml(opf))) {
			if (localName(item) !== 'item') continue;
			const type = xmlAttribute(opf, item, 'media-type');
			const isPage = type === 'application/xhtml+xml';
			if (!isPage && type !== 'application/x-dtbncx+xml') continue;
			const target = placeOf(name, xmlAttribute(opf, item, 'href') ?? '');
			const found = target === undefined ? undefined : byName.get(target);
			if (!found || taken.has(found.name)) continue;
			if (encrypted.has(found.name)) throw protectedFile(fileName);
			take(found.name, isPage ? extractXhtml : contents, reader.text(found));
		}
	}
	return made;
}

/** Name of a part that an address in another one leads to. */
function placeOf(from: string, address: string): string | undefined {
	try {
		return posix.normalize(
			posix.join(posix.dirname(from), decodeURIComponent(address.split('#')[0] ?? '')),
		);
	} catch {
		// An address that is none leads nowhere.
		return undefined;
	}
}

function encryptedNames(part: ZipPart | undefined, reader: PartReader): ReadonlySet<string> {
	if (!part) return new Set();
	const text = reader.text(part);
	const names = [...elementsIn(readXml(text))]
		.filter((element) => localName(element) === 'CipherReference')
		.map((element) => placeOf('container', xmlAttribute(text, element, 'URI') ?? '') ?? '');
	return new Set(names);
}
