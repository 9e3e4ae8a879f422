/** Splits an answer into reasoning and content while it streams (`<think>` and its relatives). */

/** The tags around a model's reasoning. */
export interface ReasoningTags {
	readonly open: string;
	readonly close: string;
	/** Markup some models put in front of what is meant for the user; left out. */
	readonly contentMarks?: readonly string[];
}

/** A piece of an answer, split. */
export interface ReasoningOutput {
	readonly reasoning: string;
	readonly content: string;
}

/** Every known pair of tags. */
export const reasoningTags: readonly ReasoningTags[] = [
	{ open: '<think>', close: '</think>' },
	{ open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
	{ open: '[THINK]', close: '[/THINK]' },
	{
		open: '<|channel|>analysis<|message|>',
		close: '<|end|>',
		contentMarks: ['<|start|>assistant', '<|channel|>final<|message|>'],
	},
];

/** The tags a chat template or its model uses; `<think>` when the template names none. */
export function reasoningTagsOf(template: string | undefined): ReasoningTags {
	const named = reasoningTags.find((tags) => template?.includes(tags.open));
	return (
		named ??
		(template?.includes('<|channel|>') ? reasoningTags[3] : reasoningTags[0]) ?? {
			open: '<think>',
			close: '</think>',
		}
	);
}

/** Whether the rendered prompt ends inside a reasoning block, so that the answer begins with reasoning. */
export function promptOpensReasoning(prompt: string, tags: ReasoningTags): boolean {
	return prompt.trimEnd().endsWith(tags.open);
}

/**
 * Streaming splitter of one answer. Only a tag at the very beginning opens reasoning: a later `<think>`
 * is something the answer talks about.
 */
export class ReasoningSplitter {
	readonly #tags: ReasoningTags;
	#state: 'start' | 'inside' | 'after' | 'content';
	#held = '';
	#atBlockStart = true;

	constructor(tags: ReasoningTags, startsInside = false) {
		this.#tags = tags;
		this.#state = startsInside ? 'inside' : 'start';
	}

	/** True while the answer is in its reasoning block. */
	get isReasoning(): boolean {
		return this.#state === 'inside';
	}

	/** Takes the next piece of the answer. */
	push(text: string): ReasoningOutput {
		this.#held += text;
		if (this.#state === 'start') this.#atStart();
		let reasoning = '';
		if (this.#state === 'inside') reasoning = this.#inside();
		if (this.#state === 'after') {
			this.#held = this.#held.trimStart();
			if (this.#held !== '' && this.#pastMarks()) this.#state = 'content';
		}
		let content = '';
		if (this.#state === 'content') {
			content = this.#held;
			this.#held = '';
		}
		return { reasoning, content };
	}

	/** Takes the end of the answer and gives what was held back. */
	end(): ReasoningOutput {
		const rest = this.#held;
		this.#held = '';
		if (this.#state === 'inside') return { reasoning: rest.trimEnd(), content: '' };
		return { reasoning: '', content: this.#state === 'after' ? '' : rest };
	}

	#atStart(): void {
		const text = this.#held.trimStart();
		if (text.startsWith(this.#tags.open)) {
			this.#state = 'inside';
			this.#held = text.slice(this.#tags.open.length);
		} else if (!this.#tags.open.startsWith(text) && this.#pastMarks()) this.#state = 'content';
	}

	// Takes marks off the beginning; false while the text may still become one.
	#pastMarks(): boolean {
		const marks = this.#tags.contentMarks ?? [];
		for (let found: string | undefined = ''; found !== undefined; ) {
			found = marks.find((mark) => this.#held.startsWith(mark));
			this.#held = this.#held.slice(found?.length ?? 0);
		}
		return !marks.some((mark) => mark.startsWith(this.#held));
	}

	#inside(): string {
		if (this.#atBlockStart) {
			this.#held = this.#held.replace(/^\s+/, '');
			if (this.#held === '') return '';
			this.#atBlockStart = false;
		}
		const at = this.#held.indexOf(this.#tags.close);
		if (at >= 0) {
			const reasoning = this.#held.slice(0, at).trimEnd();
			this.#held = this.#held.slice(at + this.#tags.close.length);
			this.#state = 'after';
			return reasoning;
		}
		// White space waits as well: before the closing tag it is not part of the reasoning.
		const solid = this.#held.length - overlap(this.#held, this.#tags.close);
		const end = this.#held.slice(0, solid).trimEnd().length;
		const reasoning = this.#held.slice(0, end);
		this.#held = this.#held.slice(end);
		return reasoning;
	}
}

function overlap(text: string, tag: string): number {
	for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
		if (text.endsWith(tag.slice(0, length))) return length;
	}
	return 0;
}
