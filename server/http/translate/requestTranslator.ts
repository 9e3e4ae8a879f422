/** Texts of a document that came with a request: translated by its caller's leave, charged to its caller. */

import type { Context } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import { defined } from '../../protocol/defined.ts';
import type { TranslateEngine } from '../../protocol/index.ts';
import { pushAll } from '../../protocol/lists.ts';
import { textBatches } from '../../protocol/textBatches.ts';
import type {
	TranslateOutcome,
	TranslateRequest,
} from '../../services/translate/translateRequest.ts';
import type { DetectedText } from '../../translate/detectedText.ts';
import type { TextTranslator } from '../../translate/documents/documentLanguage.ts';
import { yieldToOthers } from '../../work/yieldToOthers.ts';
import type { AppEnv } from '../env.ts';
import { translatorOwnerOf } from '../owner.ts';
import { readCredentials } from './translateAuth.ts';
import { modelsPaid, plainRefusal, TranslateCharges } from './translateCharge.ts';

/** Texts and characters handed to the model at once. */
const most = { texts: 64, characters: 40_000 };

export interface RequestTranslatorOptions
	extends Partial<
		Pick<
			TranslateRequest,
			'allowFallback' | 'category' | 'gender' | 'minQuality' | 'termsFrom' | 'tone'
		>
	> {
	readonly target: string;
	readonly engine?: TranslateEngine;
	/** Told what became of each batch. */
	readonly onOutcome?: (outcome: TranslateOutcome) => void;
}

export function requestTranslator(
	context: Context<AppEnv>,
	backend: Backend,
	{ target, engine, onOutcome, ...more }: RequestTranslatorOptions,
): TextTranslator {
	const { translation, translatorAccess } = backend;
	const run = translation.newRun();
	return {
		detect: async (texts) => {
			const known = await translation.translatable();
			const candidate = ({ language, score }: { language: string; score: number }) => ({
				language,
				score,
				isSupported: known.has(language),
			});
			const found: DetectedText[] = [];
			for (const text of texts) {
				const detected = await translation.language.detect(text);
				found.push({ ...candidate(detected), alternatives: detected.alternatives.map(candidate) });
				await yieldToOthers();
			}
			return found;
		},
		translate: async (texts, source, comments) => {
			const caller = await translatorAccess.authenticate(readCredentials(context));
			const charges = new TranslateCharges(context, backend, caller);
			const translated: string[] = [];
			return charges.during(async () => {
				for (const batch of textBatches(texts, most)) {
					const characters = batch.reduce((sum, { length }) => sum + length, 0);
					// The document was let in, so its texts wait as long as it takes.
					const work = { characters, engine, priority: 'batch', isPart: true } as const;
					using turn = await translation.enter(work, context.get('signal'));
					const bill = await charges.take(characters, plainRefusal);
					const outcome = await run.translate(
						{
							owner: translatorOwnerOf(context, caller),
							texts: batch,
							targets: [{ language: target }],
							source,
							textType: 'plain',
							allowFallback: true,
							...more,
							profanityAction: 'NoAction',
							profanityMarker: 'Asterisk',
							alignment: false,
							...{ priority: 'batch', turn },
							...defined({
								engine,
								comments: comments?.slice(translated.length, translated.length + batch.length),
							}),
						},
						context.get('signal'),
					);
					bill.model = modelsPaid([outcome], engine);
					onOutcome?.(outcome);
					pushAll(
						translated,
						outcome.items.map(({ translations }) => translations[0]?.text ?? ''),
					);
				}
				return translated;
			});
		},
	};
}
