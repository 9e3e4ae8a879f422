/** What the files of a model folder say, read once; the sizes and estimates are made of it. */

import type { Family } from './families.ts';
import type { GenerationSettings } from './generationSettings.ts';
import type { GraphSummary } from './graphSummary.ts';
import type { JsonRecord } from './json.ts';

/** Settings and graphs that several describing functions look at. */
export interface FolderFacts {
	readonly config: JsonRecord | undefined;
	readonly genai: JsonRecord | undefined;
	readonly tokenizer: JsonRecord | undefined;
	readonly settings: GenerationSettings;
	/** Role → summary of the variant that would be loaded. */
	readonly graphs: ReadonlyMap<string, GraphSummary>;
	readonly family: Family;
}
