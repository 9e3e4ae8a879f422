/** What models read while they are built: a text that says which numbers matter, and another one for the loss. */

import { basename } from 'node:path';
import { AppError } from '../../../protocol/index.ts';
import { TextThread } from '../../text/textThread.ts';

/** Tokens of two texts of the same length. */
export interface CalibrationTokens {
	/** Says which columns of the matrices are used. */
	readonly importance: readonly number[];
	/** What the loss is measured on. */
	readonly loss: readonly number[];
}

/** Of each text. */
const maxTokens = 96;
/** Fewer say nothing. */
const minTokens = 16;

const texts = {
	importance: `The harbour was quiet when the first boat came in, and only the gulls noticed. "You are early," said the old man. "The wind was kind," she answered, and threw him the rope.

function largest(values) {
	let found = values[0];
	for (const value of values) if (value > found) found = value;
	return found;
}

Q: How many litres are in 3.5 cubic metres? A: One cubic metre holds 1000 litres, so it is 3500.
Die Tür ist offen, aber niemand ist da. El tren sale a las ocho. Il fait froid ce matin. 今天天气很好。`,
	loss: `A lighthouse keeper writes down three things every evening: the weather, the ships that passed, and whatever surprised him. Most days the third line stays empty. On the ninth of March it says: a whale, close enough to hear it breathe.

import json

def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)

1. Open the settings. 2. Choose "Network". 3. If the list is empty, restart the router and wait for two minutes.
Wie spät ist es? Kurz nach sieben. ¿Dónde está la estación? 请给我一杯水。`,
} as const;

/**
 * The texts in the tokens of the model in a folder; `undefined` where its tokenizer cannot be read alone or does not
 * end, or the context is too short.
 */
export async function readCalibration(
	folder: string,
	vocabulary: number,
	contextLength: number,
): Promise<CalibrationTokens | undefined> {
	const thread = new TextThread({ folder, model: basename(folder) });
	let encoded: number[][];
	try {
		const request = { texts: [texts.importance, texts.loss], addSpecial: true };
		encoded = await thread.request('encode', request);
	} catch (error) {
		if (error instanceof AppError && error.code !== 'internal') return undefined;
		throw error;
	} finally {
		await thread.close();
	}
	const [importance = [], loss = []] = encoded.map((ids) => ids.filter((id) => id < vocabulary));
	const length = Math.min(importance.length, loss.length, contextLength, maxTokens);
	if (length < minTokens) return undefined;
	return { importance: importance.slice(0, length), loss: loss.slice(0, length) };
}
