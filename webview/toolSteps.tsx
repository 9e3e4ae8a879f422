/** Tools an answer has called: one folded line each, with what went in and what came out. */

import type { VNode } from 'preact';
import type { ToolStep, ToolUse } from '../server/protocol/index.ts';
import { useChat } from './page.ts';

export function ToolSteps(props: {
	readonly steps: readonly ToolStep[];
	/** Whether the answer is still being written. */
	readonly running: boolean;
}): VNode {
	return (
		<>
			{props.steps.map((step, index) => (
				<div class="step" key={index}>
					{step.text !== '' && <p class="plain">{step.text}</p>}
					{step.uses.map((use) => (
						<Use key={use.id} use={use} running={props.running} />
					))}
				</div>
			))}
		</>
	);
}

function Use({ use, running }: { use: ToolUse; running: boolean }): VNode {
	const { t } = useChat();
	const state =
		use.result === undefined
			? running
				? 'toolRunning'
				: 'toolFailed'
			: use.failed
				? 'toolFailed'
				: 'toolUsed';
	return (
		<details class={`tool-use ${state === 'toolFailed' ? 'failed' : ''}`}>
			<summary>
				{t(state, use.name)} <code>{subjectOf(use.arguments)}</code>
			</summary>
			<p class="note">{t('toolArguments')}</p>
			<pre>{indented(use.arguments)}</pre>
			{use.result !== undefined && (
				<>
					<p class="note">{t('toolResult')}</p>
					<pre>{use.result}</pre>
				</>
			)}
		</details>
	);
}

/** Longest subject of a call in its one line, in characters. */
const maxSubject = 80;

/** What a call is about, where its arguments say it: a path, a command, what is looked for. */
function subjectOf(text: string): string {
	try {
		const input = JSON.parse(text) as Readonly<Record<string, unknown>>;
		const known = ['path', 'command', 'text', 'pattern', 'query'].map((name) => input[name]);
		const found = known.find((value): value is string => typeof value === 'string') ?? '';
		return found.length > maxSubject ? `${found.slice(0, maxSubject)}…` : found;
	} catch {
		return '';
	}
}

/** JSON for reading; what is no JSON stays as the model wrote it. */
function indented(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), undefined, 2);
	} catch {
		return text;
	}
}
