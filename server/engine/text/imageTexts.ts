/** Puts the texts that stand for images into a rendered chat. */

import { AppError } from '../../protocol/index.ts';
import type { GeneratePrompt } from '../api.ts';

type ChatPrompt = Extract<GeneratePrompt, { kind: 'chat' }>;

/** @throws AppError `invalid_request` when a text holds the template's own mark of an image */
export function withImages(rendered: string, { imageMark: mark, messages }: ChatPrompt): string {
	const texts = messages.flatMap(({ images = [] }) => images.map(({ text }) => text));
	if (mark === undefined || texts.length === 0) return rendered;
	const pieces = rendered.split(mark);
	if (pieces.length !== texts.length + 1)
		throw new AppError(
			'invalid_request',
			pieces.length > texts.length + 1
				? `The texts hold '${mark}', which is this model's own mark for an image. Leave it out.`
				: "The model's chat template has no place for an image in such a message. Put images into messages of the user.",
			{ param: 'messages' },
		);
	return pieces.map((piece, index) => `${piece}${texts[index] ?? ''}`).join('');
}
