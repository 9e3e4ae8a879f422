/** Which normalizers and pre-tokenizers take time in proportion to the text: found in their files, not by trying. */

import { asRecord, asString, type JsonRecord } from '../modelFiles/json.ts';

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const upper = '\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}';
const lower = '\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}';
const spaces = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const cl100k = (digits: string) =>
	`${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${spaces}`;
const o200k = (suffix: string, digits: string) =>
	`[^\\r\\n\\p{L}\\p{N}]?[${upper}]*[${lower}]+${suffix}|[^\\r\\n\\p{L}\\p{N}]?[${upper}]+[${lower}]*${suffix}|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${spaces}`;

/** Patterns of the published families that were read and found linear. Any other pattern is a stranger's. */
const knownPatterns: ReadonlySet<string> = new Set([
	// GPT-2 and what came of it
	"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
	"'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
	// Llama 3, SmolLM 3; Qwen 2 to 3
	cl100k('\\p{N}{1,3}'),
	cl100k('\\p{N}'),
	// GPT-4o, Phi 4 mini, gpt-oss; Mistral's tekken
	o200k(`${contractions}?`, '\\p{N}{1,3}'),
	o200k('', '\\p{N}'),
	'\\p{N}{1,3}',
	'\\p{N}',
	'\\d',
	'\\d{3}',
	'[\\r\\n]',
	'\\s+',
	' {2,}',
]);

/** Longest text a rule may put in place of one character, all rules together. */
const maxExpansion = 16;
const maxRules = 64;

/** Letters of a word that WordPiece cuts; it tries every end of every part. */
const maxWordChars = 256;

/** Whether the normalizer, the pre-tokenizer and the word cutting of a tokenizer.json are linear. */
export function isLinear({ normalizer, pre_tokenizer, model }: JsonRecord): boolean {
	const wordChars = asRecord(model)?.max_input_chars_per_word;
	if (Number(wordChars ?? 0) > maxWordChars) return false;
	const rules: JsonRecord[] = [];
	collect([normalizer, pre_tokenizer], rules);
	if (rules.length > maxRules) return false;
	let expansion = 1;
	for (const rule of rules) {
		if (rule.Regex !== undefined && !knownPatterns.has(String(rule.Regex))) return false;
		const written = asString(rule.content) ?? asString(rule.replacement) ?? asString(rule.prepend);
		expansion *= Math.max(1, written?.length ?? 1);
	}
	return expansion <= maxExpansion;
}

function collect(value: unknown, rules: JsonRecord[]): void {
	if (typeof value !== 'object' || value === null || rules.length > maxRules) return;
	if (!Array.isArray(value)) rules.push(value as JsonRecord);
	for (const child of Object.values(value)) collect(child, rules);
}
