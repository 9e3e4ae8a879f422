/** Turns the older services' prompt templates, one text with `{Content}` per role, into Jinja. */

import type { PromptTemplate } from '../../protocol/index.ts';

const place = '{Content}';

/**
 * The Jinja source that writes a chat as the template's texts say. The last question is written with
 * `prompt`, which ends where the answer begins; without one it is `user` and what `assistant` has before
 * its content. Without `user`, earlier questions are written with `prompt` too. The variable `start_token`
 * (the tokens that the tokenizer puts before a text) goes first unless the texts bring it.
 */
export function promptTemplateJinja(template: PromptTemplate): string {
	const { system, assistant = place } = template;
	const [answerHead = ''] = assistant.split(place);
	const user = template.user ?? template.prompt ?? `${place}\n`;
	const prompt = template.prompt ?? user + answerHead;
	const lead = (text: string) => literal(text.split(place)[0] ?? '');
	return [
		`{%- set lead = ${lead(user)} -%}`,
		...(system === undefined
			? []
			: [`{%- if messages[0].role == "system" -%}{%- set lead = ${lead(system)} -%}{%- endif -%}`]),
		'{%- if start_token and not lead.startswith(start_token) -%}{{- start_token -}}{%- endif -%}',
		'{%- for message in messages -%}',
		`{%- if message.role == "user" and loop.last and add_generation_prompt -%}${output(prompt)}`,
		`{%- elif message.role == "user" -%}${output(user)}`,
		`{%- elif message.role == "assistant" -%}${output(assistant)}`,
		...(system === undefined ? [] : [`{%- elif message.role == "system" -%}${output(system)}`]),
		'{%- endif -%}',
		'{%- endfor -%}',
		`{%- if add_generation_prompt and messages[-1].role != "user" -%}{{- ${literal(answerHead)} -}}{%- endif -%}`,
	].join('');
}

function output(text: string): string {
	return `{{- ${text.split(place).map(literal).join(' + message.content + ')} -}}`;
}

function literal(text: string): string {
	return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
