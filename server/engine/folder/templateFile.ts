/** The chat template of a folder, wherever its publisher put it. */

import { asRecord, asString, readJsonFile, readTextFile } from './json.ts';

/**
 * The Jinja source: `chat_template.jinja`, `chat_template.json` or the field of tokenizer_config.json.
 * Of several named templates the one for tools is taken when asked for, otherwise `default`.
 */
export async function readChatTemplate(
	folder: string,
	forTools = false,
): Promise<string | undefined> {
	if (forTools) {
		const own = await readTextFile(folder, 'additional_chat_templates/tool_use.jinja');
		if (own !== undefined) return own;
	}
	const file = await readTextFile(folder, 'chat_template.jinja');
	if (file !== undefined) return file;
	const json = await readJsonFile(folder, 'chat_template.json');
	const config = await readJsonFile(folder, 'tokenizer_config.json');
	const value = json?.chat_template ?? config?.chat_template;
	if (!Array.isArray(value)) return asString(value);
	const named = new Map<string, string>();
	for (const entry of value) {
		const name = asString(asRecord(entry)?.name);
		const template = asString(asRecord(entry)?.template);
		if (name !== undefined && template !== undefined) named.set(name, template);
	}
	return (
		(forTools ? named.get('tool_use') : undefined) ?? named.get('default') ?? [...named.values()][0]
	);
}
