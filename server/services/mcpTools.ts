/**
 * What the product offers to agents over the Model Context Protocol: translate and transcribe. Both
 * doors (HTTP and stdio) share this; `call` sends to the daemon's own routes.
 */

import { constants, openAsBlob, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { AppError, asAppError, type JsonSchema, setFormFile } from '../protocol/index.ts';
import { ownTranslatorPath, transcriptions, translate } from '../protocol/routeAddresses.ts';
import { Client, type Send } from '../protocol/routeClient.ts';

export interface McpTool {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly inputSchema: JsonSchema & object;
	/** Whether a client may run it without asking: it reads nothing but what it is given, and changes nothing. */
	readonly readOnly: boolean;
	/** Resolves to the text of the result. */
	run(input: Readonly<Record<string, unknown>>, call: Send, signal: AbortSignal): Promise<string>;
}

const text = (description: string) => ({ type: 'string', description });

const translateTool: McpTool = {
	name: 'nearglot_translate',
	title: 'Translate text',
	readOnly: true,
	description:
		'Translates text with a model on this machine. Placeholders, code and tags stay as they are. Returns one line per target language.',
	inputSchema: {
		type: 'object',
		properties: {
			text: text('The text to translate.'),
			to: text('Target language (BCP 47), or several separated by commas: de or de,fr.'),
			from: text('Source language; detected when absent.'),
			html: { type: 'boolean', description: 'Whether the text is HTML; tags are kept.' },
		},
		required: ['text', 'to'],
		additionalProperties: false,
	},
	run: async (input, call, signal) => {
		const to = required(input, 'to')
			.split(',')
			.map((part) => part.trim());
		const query = {
			'api-version': '3.0',
			to,
			from: optional(input, 'from'),
			textType: flag(input, 'html') ? 'html' : undefined,
		};
		const body = [{ Text: required(input, 'text') }];
		const client = new Client((path, init) => call(ownTranslatorPath + path, init));
		const [item] = await client.call(translate, { query, body }, { signal });
		const rows = item?.translations ?? [];
		return rows.length === 1
			? (rows[0]?.text ?? '')
			: rows.map((row) => `${row.to}: ${row.text}`).join('\n');
	},
};

const transcribeTool: McpTool = {
	name: 'nearglot_transcribe',
	title: 'Transcribe a recording',
	// It opens any file of the user: that is for the user to allow.
	readOnly: false,
	description:
		'Turns an audio file (WAV, MP3, FLAC, Ogg, WebM, MP4) on this machine into text or subtitles with a local model.',
	inputSchema: {
		type: 'object',
		properties: {
			path: text('Absolute path of the recording.'),
			language: text('Language spoken (ISO 639-1); detected when absent.'),
			format: { type: 'string', enum: ['text', 'srt', 'vtt', 'verbose_json'], default: 'text' },
			model: text('Model to use; any installed speech model when absent.'),
		},
		required: ['path'],
		additionalProperties: false,
	},
	run: async (input, call, signal) => {
		const path = required(input, 'path');
		await using file = await openRecording(path);
		const form = new FormData();
		setFormFile(form, await openAsBlob(samePath(file, path)), basename(path));
		form.set('model', optional(input, 'model') ?? 'default');
		form.set('response_format', optional(input, 'format') ?? 'text');
		const language = optional(input, 'language');
		if (language !== undefined) form.set('language', language);
		const response = await new Client(call).open(transcriptions, { body: form }, { signal });
		return (await response.text()).trimEnd();
	},
};

/**
 * Refuses at once what is no recording on this machine: a folder, a pipe that would be waited for, a device, a
 * share, which would be sent the user's name and password hash.
 */
async function openRecording(path: string): Promise<FileHandle> {
	const refuse = (message: string, code: 'invalid_request' | 'not_found' = 'invalid_request') =>
		new AppError(code, message, { param: 'path' });
	if (!isAbsolute(path)) throw refuse(`'path' must be absolute, not ${path}.`);
	if (/^[\\/]{2}/.test(path))
		throw refuse(`${path} is on another computer or a device; copy the recording to this machine.`);
	const check = (found: Stats) => {
		if (found.isDirectory()) throw refuse(`${path} is a folder, not a recording.`);
		if (!found.isFile()) throw refuse(`${path} is no plain file.`);
	};
	const missing = () => refuse(`There is no file ${path} that can be read.`, 'not_found');
	const found = await stat(path).catch(() => undefined);
	if (found === undefined) throw missing();
	check(found);
	// Another file may have come to this name since: it must not be waited for, and is looked at again.
	const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => {
		throw missing();
	});
	try {
		check(await file.stat());
		return file;
	} catch (error) {
		await file.close();
		throw error;
	}
}

/** A path of the very file that is open, where the system has one. */
function samePath({ fd }: FileHandle, path: string): string {
	return process.platform === 'linux' ? `/proc/self/fd/${fd}` : path;
}

/** All tools, in the order they are listed. */
export const mcpTools: readonly McpTool[] = [translateTool, transcribeTool];

export interface McpToolResult {
	readonly content: readonly { readonly type: 'text'; readonly text: string }[];
	readonly isError?: boolean;
}

/** Runs a tool; what goes wrong inside is a result the model can read, an unknown tool is an error. */
export async function runMcpTool(
	name: string,
	input: unknown,
	call: Send,
	signal: AbortSignal,
): Promise<McpToolResult> {
	const tool = mcpTools.find((entry) => entry.name === name);
	if (tool === undefined)
		throw new AppError(
			'not_found',
			`There is no tool '${name.slice(0, 100)}'. Known: ${mcpTools.map((entry) => entry.name).join(', ')}.`,
		);
	try {
		const fields = typeof input === 'object' && input !== null ? input : {};
		const schema = tool.inputSchema as { properties: Record<string, unknown> };
		const extra = Object.keys(fields).find((key) => !Object.hasOwn(schema.properties, key));
		if (extra !== undefined) throw wrong(extra, 'is not known');
		const result = await tool.run(fields as Record<string, unknown>, call, signal);
		return { content: [{ type: 'text', text: result }] };
	} catch (error) {
		return { content: [{ type: 'text', text: asAppError(error).message }], isError: true };
	}
}

function required(input: Readonly<Record<string, unknown>>, key: string): string {
	const value = optional(input, key);
	if (value === undefined) throw wrong(key, 'is missing');
	return value;
}

function optional(input: Readonly<Record<string, unknown>>, key: string): string | undefined {
	const value = input[key];
	if (value == null) return undefined;
	if (typeof value !== 'string' || value === '') throw wrong(key, 'must be a string');
	return value;
}

function flag(input: Readonly<Record<string, unknown>>, key: string): boolean {
	const value = input[key];
	if (value != null && typeof value !== 'boolean') throw wrong(key, 'must be true or false');
	return value === true;
}

function wrong(param: string, what: string): AppError {
	return new AppError('invalid_request', `'${param}' ${what}.`, { param });
}
