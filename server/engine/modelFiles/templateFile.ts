/** The chat template of a folder, wherever its publisher put it. */

import { type PromptTemplate, promptRoles } from '../../protocol/index.ts';
import { asRecord, asString, type JsonRecord, readJsonFile, readTextFile } from './json.ts';
import { promptTemplateJinja } from './promptTemplate.ts';

/**
 * The Jinja source: `chat_template.jinja`, `chat_template.json` or the field of tokenizer_config.json.
 * Of several named templates the one for tools is taken when asked for, otherwise `default`. The prompt
 * template that was given with the model's download counts more than all of these, the one of an older
 * service's inference_model.json less.
 */
export async function readChatTemplate(
	folder: string,
	forTools = false,
): Promise<string | undefined> {
	const given = promptTemplateOf(await readCard(folder, 'nearglot.json'), 'promptTemplate');
	if (given !== undefined) return promptTemplateJinja(given);
	const published = await publishedTemplate(folder, forTools);
	// Converters write an empty one where a model has none.
	if (published !== undefined && published.trim() !== '') return published;
	const card = await readCard(folder, 'inference_model.json');
	const older = promptTemplateOf(card, 'PromptTemplate');
	return older === undefined ? undefined : promptTemplateJinja(older);
}

// A card that cannot be read says nothing; the model is none the worse for it.
function readCard(folder: string, file: string): Promise<JsonRecord | undefined> {
	return readJsonFile(folder, file).catch(() => undefined);
}

function promptTemplateOf(card: JsonRecord | undefined, key: string): PromptTemplate | undefined {
	const value = asRecord(card?.[key]);
	const texts = promptRoles.flatMap((role) => {
		const text = asString(value?.[role]);
		return text?.includes('{Content}') ? [[role, text] as const] : [];
	});
	return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

async function publishedTemplate(folder: string, forTools: boolean): Promise<string | undefined> {
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
