/** Finds what an editor has open by the path of its file. */

import { fileURLToPath, pathToFileURL } from 'node:url';

/** Documents of a client. */
export interface OpenDocuments<Document extends { readonly uri: string }> {
	get(uri: string): Document | undefined;
	all(): readonly Document[];
}

/** Editors write an address in several ways: `file:///c:/a`, `file:///c%3A/a`, `file:///C:/a` are one file. */
export function openFile<Document extends { readonly uri: string }>(
	documents: OpenDocuments<Document>,
	path: string,
	platform: NodeJS.Platform = process.platform,
): Document | undefined {
	const windows = platform === 'win32';
	const found = documents.get(pathToFileURL(path, { windows }).href);
	if (found !== undefined) return found;
	const same = (text: string) => (windows ? text.toLowerCase().replaceAll('/', '\\') : text);
	return documents
		.all()
		.find(
			({ uri }) => uri.startsWith('file:') && same(fileURLToPath(uri, { windows })) === same(path),
		);
}
