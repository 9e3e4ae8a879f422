/** Text from standard input, in whatever encoding the shell has made of it. */

import type { Readable } from 'node:stream';
import { AppError } from '../protocol/errors.ts';
import { decodeText } from '../translate/documents/textEncoding.ts';

/**
 * Everything on standard input: UTF-8, UTF-16 (Windows PowerShell) or, elsewhere than on Windows, Windows-1252.
 * @throws AppError `invalid_request` for any other, with what to do
 */
export async function readStdin(stdin: Readable): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer));
	return decodeStdin(Buffer.concat(chunks));
}

/** {@link readStdin} of bytes that are there; a byte order mark is no part of the text. */
export function decodeStdin(
	bytes: Uint8Array,
	platform: NodeJS.Platform = process.platform,
): string {
	try {
		const { text, encoding } = decodeText(bytes, 'The standard input');
		// A console of Windows writes in a code page of its own, which cannot be told from that of windows.
		if (platform === 'win32' && encoding === 'windows-1252') throw new AppError('invalid_request');
		return text.startsWith('\ufeff') ? text.slice(1) : text;
	} catch (error) {
		if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error;
		const advice =
			platform === 'win32'
				? 'Say chcp 65001 before (in PowerShell also $OutputEncoding = [Text.Encoding]::UTF8), or put the text into a file'
				: 'Convert it, for example with iconv -t UTF-8';
		throw new AppError(
			'invalid_request',
			`The text on standard input is not in UTF-8${platform === 'win32' ? ' or UTF-16' : ', UTF-16 or Windows-1252'}. ${advice}.`,
			{ cause: error },
		);
	}
}
