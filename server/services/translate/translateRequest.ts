/** Request and result of a translation, local or remote. */

import type { Owned } from '../../engine/api.ts';
import type { TranslateEngine } from '../../protocol/index.ts';
import type { genders, tones } from '../../protocol/tones.ts';
import type { DetectedLanguage } from '../../translate/detectedLanguage.ts';
import type { Fixed } from '../../translate/mask.ts';
import type { MemoryPair } from '../../translate/memory.ts';
import type { ProfanityAction, ProfanityMarker } from '../../translate/profanity.ts';

/** How the reader is addressed; chat models only. */
export type Tone = (typeof tones)[number];
/** Of the people a text speaks of; chat models only. */
export type Gender = (typeof genders)[number];

export interface TranslateTarget {
	/** Canonical code. */
	readonly language: string;
	/** Also give the translation in this script. */
	readonly script?: string;
}

export interface TranslateRequest extends Owned {
	readonly texts: readonly string[];
	readonly targets: readonly TranslateTarget[];
	/** Canonical code; absent = detect per text. */
	readonly source?: string;
	/** Script the texts are written in when it is not the usual one (`Latn` for Hindi). */
	readonly sourceScript?: string;
	/** Assumed when detection fails. */
	readonly suggestedSource?: string;
	readonly textType: 'plain' | 'html';
	/** Name of a custom system; `general` or absent = none. */
	readonly category?: string;
	/** Whether general systems may do what the category cannot. */
	readonly allowFallback: boolean;
	readonly profanityAction: ProfanityAction;
	readonly profanityMarker: ProfanityMarker;
	readonly alignment: boolean;
	readonly alternatives?: number;
	readonly beams?: number;
	/** Below this estimate (0…1) a sentence stays as it is rather than as the built-in model has it; default 0. */
	readonly minQuality?: number;
	readonly priority: 'interactive' | 'batch';
	/** Who translates; absent = what the user set, normally `local`. */
	readonly engine?: TranslateEngine;
	/** Prescribed terms for texts of a language, before those of the category. */
	readonly termsFrom?: (source: string) => (text: string) => readonly Fixed[];
	readonly tone?: Tone;
	readonly gender?: Gender;
	/** What the texts belong to, for chat models. */
	readonly description?: string;
	/** What the author of each text says of it, in their order, for chat models. */
	readonly comments?: readonly (string | undefined)[];
	/** Translations that show how it is to be done, for chat models. */
	readonly examples?: readonly MemoryPair[];
	/** It was let in before with `TranslateService.enter`, by who ends that. */
	readonly turn?: Disposable;
}

export interface TargetText {
	readonly language: string;
	readonly text: string;
	readonly transliteration?: { readonly text: string; readonly script: string };
	/** Inclusive UTF-16 indices, `0:4-0:3 …`; absent where alignment is not supported. */
	readonly alignment?: string;
	readonly sourceLengths: readonly number[];
	readonly targetLengths: readonly number[];
	readonly alternatives: readonly string[];
	/** How good it probably is, 0…1: an estimate of its chrF. Absent where no model here was asked. */
	readonly quality?: number;
	/** Ids of the models, in order; empty when the text was copied or a table had all of it. */
	readonly models: readonly string[];
	/** Sentences that stayed in the source language: no answer of the model could be used. */
	readonly refused: readonly string[];
	/** Tables that sentences are from: `cldr`, `labels`. */
	readonly tables?: readonly string[];
}

export interface TranslateItem {
	readonly detected?: DetectedLanguage;
	/** The text in its usual script, when it came in another one. */
	readonly sourceText?: string;
	readonly translations: readonly TargetText[];
}

export interface TranslateOutcome {
	readonly items: readonly TranslateItem[];
	/** Per target: whether a custom system did it. */
	readonly systems: readonly ('Custom' | 'Team')[];
	/** Chains of models that were used, each as `first+second`, and tables. */
	readonly models: readonly string[];
	/** Sentences of all texts and targets that stayed in the source language. */
	readonly refused: number;
	/** UTF-16 units × targets. */
	readonly characters: number;
}
