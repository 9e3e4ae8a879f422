/** What a check of translations found, for people and for what runs checks: text, JSON, SARIF, GitHub annotations. */

import { productVersion } from '../protocol/version.ts';
import type { TranslationFaultKind } from '../translate/documents/translationFaults.ts';

/** `damaged`: a file that cannot be read. */
export type FindingKind = TranslationFaultKind | 'damaged';

export interface CheckFinding {
	readonly kind: FindingKind;
	/** Where it is shown. */
	readonly path: string;
	readonly line: number;
	/** The translated file it is about. */
	readonly target: string;
	/** Absent where a file that holds all its languages cannot be read. */
	readonly to?: string;
	/** Absent of a whole file. */
	readonly key?: string;
	/** One sentence. */
	readonly message: string;
}

export const checkFormats = ['text', 'json', 'sarif', 'github'] as const;
export type CheckFormat = (typeof checkFormats)[number];

const rules: Readonly<Record<FindingKind, string>> = {
	missing: 'A translation is missing.',
	stale: 'The source has changed since it was translated.',
	placeholder: 'A translation has other placeholders than its source.',
	damaged: 'A file cannot be read.',
};

/** @param checked Translated files that were looked at */
export function checkReport(
	format: CheckFormat,
	findings: readonly CheckFinding[],
	checked: number,
): string {
	if (format === 'json') return `${JSON.stringify({ checked, findings }, null, 2)}\n`;
	if (format === 'sarif') return `${JSON.stringify(sarif(findings), null, 2)}\n`;
	if (format === 'github') return findings.map(annotation).join('');
	return findings
		.map(({ path, line, kind, message }) => `${path}:${line}: ${kind}: ${message}\n`)
		.join('');
}

/** @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function annotation({ kind, path, line, message }: CheckFinding): string {
	const value = (text: string): string =>
		text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
	const property = (text: string): string =>
		value(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
	return `::error file=${property(path)},line=${line},title=${property(`Translation ${kind}`)}::${value(message)}\n`;
}

/** SARIF 2.1.0. */
function sarif(findings: readonly CheckFinding[]): object {
	return {
		$schema: 'https://json.schemastore.org/sarif-2.1.0.json',
		version: '2.1.0',
		runs: [
			{
				tool: {
					driver: {
						name: 'nearglot',
						version: productVersion(),
						rules: Object.entries(rules).map(([id, text]) => ({
							id,
							shortDescription: { text },
						})),
					},
				},
				results: findings.map(({ kind, path, line, target, key, message }) => ({
					ruleId: kind,
					level: 'error',
					message: { text: message },
					locations: [
						{
							physicalLocation: {
								artifactLocation: { uri: uriOf(path) },
								region: { startLine: line },
							},
						},
					],
					// The same finding is known again when lines have moved.
					partialFingerprints: { translation: `${kind} ${target} ${key ?? ''}` },
				})),
			},
		],
	};
}

const uriOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
