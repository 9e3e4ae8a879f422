/** The images of messages as a model's prompt has them: files for the encoder, texts for the template. */

import type { PromptImage, PromptMessage } from '../../engine/api.ts';
import { readImageHeader } from '../../engine/modelFiles/imageHeader.ts';
import { planImage } from '../../engine/modelFiles/imagePlan.ts';
import { AppError, type ChatMessage } from '../../protocol/index.ts';
import type { ModelProfile } from './profile.ts';

/** Messages for templates and tokenizers, with texts in the places of their images. */
export interface SeenMessages {
	readonly messages: readonly PromptMessage[];
	readonly imageMark?: string;
}

/**
 * @param model its name, for the refusal
 * @throws AppError `unsupported_parameter` when there are images and the model does not see, `invalid_request` for
 * what is no image
 */
export function seenMessages(
	given: readonly ChatMessage[],
	{ images: layout }: Pick<ModelProfile, 'images'>,
	model: string,
): SeenMessages {
	if (!given.some(hasImages)) return { messages: given.filter(isText) };
	if (layout === undefined)
		throw new AppError(
			'unsupported_parameter',
			`The model '${model}' does not see images. Send text only, or take a model that does: SmolVLM, Qwen2-VL, Qwen2.5-VL or Gemma 3 with a vision encoder.`,
			{ param: 'messages' },
		);
	const messages = given.map((message, index): PromptMessage => {
		const { images, ...rest } = message;
		if (images === undefined) return rest;
		const texts = images.map(({ base64, detail, fromEnd }) => {
			const header = readImageHeader(Buffer.from(base64, 'base64'), `messages[${index}]`);
			return { fromEnd, text: planImage(layout, header, detail).text };
		});
		return { ...rest, images: texts };
	});
	return { messages, imageMark: layout.mark };
}

const hasImages = ({ images }: ChatMessage) => images !== undefined;

const isText = (message: ChatMessage): message is ChatMessage & { readonly images?: never } =>
	!hasImages(message);

/** The files of the images of messages, in their order. */
export function imageFiles(messages: readonly ChatMessage[]): PromptImage[] {
	return messages.flatMap(({ images = [] }) =>
		images.map(({ base64, detail }) => ({ bytes: Buffer.from(base64, 'base64'), detail })),
	);
}
