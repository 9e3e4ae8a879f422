/** What was dropped on a chat: files of the editor by their addresses, others by their text. */

import { imageMessage } from './pastedImages.ts';
import type { PageMessage } from './protocol.ts';

/** Longest text of a file from elsewhere, in bytes; the host says so of longer ones. */
const maxBytes = 1_000_000;

/** Messages that attach what was dropped. */
export async function droppedFiles(data: DataTransfer): Promise<PageMessage[]> {
	// Read at once: the browser empties it when the event is over.
	const addresses = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
	const files = [...data.files];
	if (addresses !== '') return [{ type: 'dropFiles', text: addresses }];
	return Promise.all(
		files.map(async (file) =>
			file.type.startsWith('image/')
				? imageMessage(file)
				: {
						type: 'dropText' as const,
						name: file.name,
						text: await file.slice(0, maxBytes).text(),
					},
		),
	);
}
