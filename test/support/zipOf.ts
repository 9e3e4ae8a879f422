/** Small zip files, made in the test. */

import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A zip file of these parts; those named `stored` are not compressed. */
export async function zipOf(
	parts: Readonly<Record<string, string>>,
	stored: readonly string[] = [],
): Promise<Uint8Array> {
	const zip = new ZipFile();
	for (const [name, text] of Object.entries(parts))
		zip.addBuffer(Buffer.from(text), name, {
			compress: !stored.includes(name),
			mtime: new Date(0),
		});
	zip.end();
	return await buffer(zip.outputStream as Readable);
}
