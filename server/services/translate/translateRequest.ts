/** Request and result of a translation, local or remote. */

import type { Owned } from '../../engine/api.ts';
import type { TranslateEngine } from '../../protocol/index.ts';
import type { DetectedLanguage } from '../../translate/detect.ts';
import type { ProfanityAction, ProfanityMarker } from '../../translate/profanity.ts';

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
	readonly priority: 'interactive' | 'batch';
	/** Who translates; absent = what the user set, normally `local`. */
	readonly engine?: TranslateEngine;
	/** A turn that was taken before with `TranslateService.enter`, and is given back by who took it. */
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
	/** Ids of the models, in order; empty when the text was copied or a table had all of it. */
	readonly models: readonly string[];
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
	/** UTF-16 units × targets. */
	readonly characters: number;
}
