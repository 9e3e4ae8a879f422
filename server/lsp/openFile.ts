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
	return documents.all().find(({ uri }) => {
		const own = pathOf(uri, windows);
		return own !== undefined && same(own) === same(path);
	});
}

/** `undefined` for what is no file here, such as `file:///a` on Windows, or a name with a slash in it. */
function pathOf(uri: string, windows: boolean): string | undefined {
	if (!uri.startsWith('file:')) return undefined;
	try {
		return fileURLToPath(uri, { windows });
	} catch {
		return undefined;
	}
}
