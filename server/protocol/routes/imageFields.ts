/** Images in messages: data of the request itself. Nothing is fetched. */

import type { ChatImage, ChatMessage } from '../chatTypes.ts';
import { asObject, Refused, read } from './check.ts';
import { oneOf, optional, string } from './fields.ts';

/** Most images of one request. */
export const maxImages = 16;
/** Characters of an image in base64: 6 MB of a file. */
const maxBase64 = 8 << 20;

/** An image whose place is not known yet. */
export type UnplacedImage = Omit<ChatImage, 'fromEnd'>;

/** Names of parts that hold an image, as clients write them. */
export const imageTypes: ReadonlySet<unknown> = new Set(['image_url', 'input_image']);

export const imagePartSchema = {
	type: 'object',
	required: ['type', 'image_url'],
	properties: {
		type: { const: 'image_url' },
		image_url: {
			type: 'object',
			required: ['url'],
			properties: {
				url: { type: 'string', pattern: '^data:image/(png|jpeg|webp);base64,' },
				detail: { enum: ['low', 'high', 'auto'] },
			},
		},
	},
};

const urlField = string();
const detailField = optional(oneOf('low', 'high', 'auto', 'original'));

/** An `image_url` part of chat completions, or an `input_image` part of Responses. */
export function imageOfPart(part: Record<string, unknown>, path: string): UnplacedImage {
	const at = `${path}.image_url`;
	const given = part['image_url'];
	if (given === undefined && part['file_id'] !== undefined)
		throw new Refused(
			`${path}.file_id`,
			(name) => `${name} names a file of another service; send the image itself as a data: URL.`,
			'unsupported_parameter',
		);
	const isText = typeof given === 'string';
	const held = isText ? { url: given, detail: part['detail'] } : asObject(given, at);
	const url = read(urlField, held['url'], isText ? at : `${at}.url`);
	const detail = read(detailField, held['detail'], isText ? `${path}.detail` : `${at}.detail`);
	return {
		base64: base64OfUrl(url, isText ? at : `${at}.url`),
		detail: detail === 'original' ? 'high' : (detail ?? 'auto'),
	};
}

function base64OfUrl(url: string, at: string): string {
	// Only the head is looked at with an expression: the rest may be megabytes.
	const head = /^data:image\/(?:png|jpe?g|webp)(?:;[a-z0-9-]+=[\w.-]*)*;base64,/i.exec(
		url.slice(0, 200),
	);
	if (head === null) {
		const isAddress = /^(https?|ftp|file):/i.test(url);
		throw new Refused(
			at,
			(name) =>
				isAddress
					? `${name} is an address; nothing is fetched here. Send the image itself as data:image/png;base64,… (PNG, JPEG or WebP).`
					: `${name} must be data:image/png;base64,… (PNG, JPEG or WebP).`,
			isAddress ? 'unsupported_parameter' : 'invalid_request',
		);
	}
	return checkedBase64(url.slice(head[0].length), at);
}

/** Base64 of a file that is not too large. */
export function checkedBase64(text: string, at: string): string {
	if (text.length > maxBase64)
		throw new Refused(
			at,
			(name) => `${name} is an image of more than ${(maxBase64 / 4) * 3} bytes; make it smaller.`,
			'payload_too_large',
		);
	if (text.length === 0 || text.length % 4 === 1 || !isBase64(text))
		throw new Refused(at, (name) => `${name} is no base64.`);
	return text;
}

const isBase64 = (text: string) => /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);

export const imagesOfUsers = (at: string) =>
	new Refused(
		at,
		(name) => `${name} holds an image; images are read in messages of the user only.`,
		'unsupported_parameter',
	);

/** The messages, when they have no more images than are read. */
export function fewImages(messages: ChatMessage[]): ChatMessage[] {
	const count = messages.reduce((sum, { images = [] }) => sum + images.length, 0);
	if (count > maxImages)
		throw new Refused(
			'',
			(name) => `${name} holds ${count} images; at most ${maxImages} are read in one request.`,
		);
	return messages;
}
