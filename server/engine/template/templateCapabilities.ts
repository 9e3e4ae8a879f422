/** Finds out by trying what a chat template can express. */

import { asTooExpensive } from './budget.ts';
import { withParts } from './messages.ts';

/** What a template does with the parts of a chat. */
export interface TemplateCapabilities {
	/** It has a place for a system message. */
	readonly system: boolean;
	/** Tools are a variable of the template, a field of the system message (as JSON text), or unknown to it. */
	readonly tools: 'native' | 'system-field' | 'none';
	/** Earlier calls and their results have a place of their own. */
	readonly calls: boolean;
	/** Arguments of earlier calls go in as an object; otherwise as JSON text. */
	readonly objectArguments: boolean;
	/** Contents are lists of parts: it does not write a content that is a text. */
	readonly needsParts: boolean;
	/** Ids of calls must be nine letters or digits. */
	readonly shortIds: boolean;
}

type Run = (variables: Readonly<Record<string, unknown>>) => string;

const base = { tools: null, documents: null, add_generation_prompt: true };
const user = { role: 'user', content: 'probe-user' };

/** Tries a template: what fails is not supported. @throws TemplateTooExpensive */
export function detectCapabilities(source: string, run: Run): TemplateCapabilities {
	const attempt = (variables: Readonly<Record<string, unknown>>): string => {
		try {
			return run({ ...base, ...variables });
		} catch (error) {
			const beyond = asTooExpensive(error);
			if (beyond !== undefined) throw beyond;
			return '';
		}
	};
	const needsParts =
		!attempt({ messages: [user] }).includes('probe-user') &&
		attempt({ messages: [withParts(user)] }).includes('probe-user');
	const tryRun: typeof attempt = ({ messages, ...rest }) =>
		attempt({
			...rest,
			messages: needsParts ? (messages as (typeof user)[]).map(withParts) : messages,
		});
	const system = [{ role: 'system', content: 'probe-system' }, user];
	const withSystem =
		tryRun({ messages: system }) + tryRun({ messages: system, tools: [probeTool] });
	const needsShortIds = /length\s*!=\s*9/.test(source);
	const calls = (args: unknown) =>
		tryRun({
			tools: [probeTool],
			messages: [
				user,
				{
					role: 'assistant',
					content: null,
					tool_calls: [
						{
							id: 'abcdefghi',
							type: 'function',
							function: { name: 'probe_name', arguments: args },
						},
					],
				},
				{ role: 'tool', name: 'probe_name', tool_call_id: 'abcdefghi', content: 'probe-result' },
			],
		});
	const asObject = calls({ probe_key: 'probe-value' });
	const asText = calls('{"probe_key": "probe-value"}');
	const objectWorks = /["']?probe_key["']?\s*[:=]\s*["']probe-value/.test(asObject);
	// Text written where an object belongs comes out quoted twice.
	const textWorks = asText.includes('{"probe_key": "probe-value"}');
	return {
		system: withSystem.includes('probe-system'),
		tools: findTools(source, tryRun),
		calls: (objectWorks || textWorks) && (asObject + asText).includes('probe-result'),
		objectArguments: objectWorks || !textWorks,
		needsParts,
		shortIds: needsShortIds,
	};
}

const probeTool = {
	type: 'function',
	function: {
		name: 'probe_name',
		description: 'probe-description',
		parameters: { type: 'object', properties: { probe_key: { type: 'string', description: 'x' } } },
	},
};

function findTools(source: string, tryRun: Run): TemplateCapabilities['tools'] {
	for (const messages of [[user], [{ role: 'system', content: 'probe-system' }, user]]) {
		if (tryRun({ tools: [probeTool], messages }).includes('probe_name')) return 'native';
	}
	return /message(\.tools|\[['"]tools['"]\])/.test(source) ? 'system-field' : 'none';
}
