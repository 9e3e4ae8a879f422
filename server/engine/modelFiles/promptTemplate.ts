/** Turns the older services' prompt templates, one text with `{Content}` per role, into Jinja. */

import type { PromptTemplate } from '../../protocol/index.ts';

const place = '{Content}';

/**
 * The Jinja source that writes a chat as the template's texts say. The last question is written with
 * `prompt`, which ends where the answer begins; without one it is `user` and what `assistant` has before
 * its content. Without `user`, earlier questions are written with `prompt` too. The variable `start_token`
 * (the tokens that the tokenizer puts before a text) goes before the first text that is written, unless that brings it.
 */
export function promptTemplateJinja(template: PromptTemplate): string {
	const { system, assistant = place } = template;
	const [answerHead = ''] = assistant.split(place);
	const user = template.user ?? template.prompt ?? `${place}\n`;
	const prompt = template.prompt ?? user + answerHead;
	return [
		'{%- set chat = namespace(begun=false) -%}',
		'{%- for message in messages -%}',
		`{%- if message.role == "user" and loop.last and add_generation_prompt -%}${output(prompt)}`,
		`{%- elif message.role == "user" -%}${output(user)}`,
		`{%- elif message.role == "assistant" -%}${output(assistant)}`,
		...(system === undefined ? [] : [`{%- elif message.role == "system" -%}${output(system)}`]),
		'{%- endif -%}',
		'{%- endfor -%}',
		`{%- if add_generation_prompt and messages[-1].role != "user" -%}${begin(answerHead)}{{- ${literal(answerHead)} -}}{%- endif -%}`,
	].join('');
}

function output(text: string): string {
	const [head = ''] = text.split(place);
	return `${begin(head)}{{- ${text.split(place).map(literal).join(' + message.content + ')} -}}`;
}

/** The start token before the first text of a chat, unless that brings it. */
function begin(head: string): string {
	return `{%- if start_token and not chat.begun and not ${literal(head)}.startswith(start_token) -%}{{- start_token -}}{%- endif -%}{%- set chat.begun = true -%}`;
}

function literal(text: string): string {
	return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
