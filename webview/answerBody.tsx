/** What an answer says, without who says it and the buttons: reasoning, tools, words, and why it ended. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ModelInfo, Turn } from '../server/protocol/index.ts';
import type { Streaming } from './chatState.ts';
import { Markdown } from './markdown.tsx';
import { numberText } from './numberText.ts';
import { TurnContext, useChat } from './page.ts';
import { ProgressLine } from './progressLine.tsx';
import { ToolSteps } from './toolSteps.tsx';

/** Name of the model that has answered. */
export const modelNameOf = (turn: Turn, models: readonly ModelInfo[] = []): string =>
	models.find(({ id }) => id === turn.model)?.displayName ?? turn.model ?? 'Nearglot';

export function AnswerBody({ turn }: { turn: Turn }): VNode {
	const { streaming } = useChat();
	const open = streaming.value?.id === turn.id ? streaming.value : undefined;
	const done = useMemo(
		(): Streaming => ({
			id: turn.id,
			text: signal(turn.text),
			reasoning: signal(turn.reasoning ?? ''),
		}),
		[turn.id, turn.text, turn.reasoning],
	);
	const shown = open ?? done;
	return (
		<>
			<Reasoning stream={shown} />
			<ToolSteps steps={turn.steps ?? []} running={open !== undefined} />
			<TurnContext.Provider value={turn.id}>
				<Markdown text={shown.text} />
			</TurnContext.Provider>
			{open && <ProgressLine />}
			{!open && <Ending turn={turn} />}
		</>
	);
}

function Reasoning({ stream }: { stream: Streaming }): VNode | null {
	const { t } = useChat();
	if (stream.reasoning.value === '') return null;
	return (
		<details class="reasoning">
			<summary>{t('reasoning')}</summary>
			<Markdown text={stream.reasoning} />
		</details>
	);
}

/** Why the answer ended, when that is worth saying, and how fast it came. */
function Ending({ turn }: { turn: Turn }): VNode | null {
	const { t } = useChat();
	if (turn.error) {
		return (
			<>
				<p class="error" role="alert">
					<strong>{t(turn.text === '' ? 'failed' : 'brokenOff')}.</strong> {turn.error.message}
				</p>
				<TryAgain turn={turn} />
			</>
		);
	}
	if (turn.finishReason === 'stopped') return <p class="note">{t('stopped')}</p>;
	if (turn.finishReason === 'length') return <p class="note">{t('cutOff')}</p>;
	if (turn.finishReason === undefined) {
		return (
			<>
				<p class="note">{t('interrupted')}</p>
				<TryAgain turn={turn} />
			</>
		);
	}
	if (!turn.timings || turn.timings.predicted_n === 0) return null;
	const { predicted_n: tokens, predicted_per_second: speed } = turn.timings;
	return <p class="note speed">{t('speed', tokens, numberText(speed, speed < 10 ? 1 : 0))}</p>;
}

/** Asks the same question once more; what arrived stays as another version. */
function TryAgain({ turn }: { turn: Turn }): VNode {
	const { t, send } = useChat();
	return (
		<p class="row">
			<button
				type="button"
				class="secondary"
				onClick={() => send({ type: 'regenerate', id: turn.id })}
			>
				{t('tryAgain')}
			</button>
		</p>
	);
}
