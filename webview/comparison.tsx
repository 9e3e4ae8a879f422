/** Answers of several models, or several answers of one, to the same question, side by side. */

import type { VNode } from 'preact';
import { siblings } from '../server/protocol/conversation.ts';
import type { Turn } from '../server/protocol/index.ts';
import { AnswerBody, modelNameOf } from './answerBody.tsx';
import { IconButton } from './icons.tsx';
import { useChat } from './page.ts';

/** Shows all answers beside each other, or the one alone again. */
export function CompareButton({ turn }: { turn: Turn }): VNode | null {
	const { page, comparing, t } = useChat();
	const { parent } = turn;
	const models = page.value?.models ?? [];
	const answers = page.value ? siblings(page.value.conversation, turn) : [];
	// With one model and one answer there is nothing to compare.
	if (parent === null || (answers.length < 2 && models.length < 2)) return null;
	const isOn = comparing.value.has(parent);
	return (
		<IconButton
			icon="columns"
			label={t(isOn ? 'compareEnd' : 'compare')}
			onClick={() => {
				const next = new Set(comparing.value);
				if (!next.delete(parent)) next.add(parent);
				comparing.value = next;
			}}
		/>
	);
}

/** @param turn The answer that the chat goes on with. */
export function Comparison({ turn }: { turn: Turn }): VNode {
	const { page, streaming, t, send } = useChat();
	const answers = page.value ? siblings(page.value.conversation, turn) : [turn];
	const isBusy = page.value?.answering != null;
	return (
		<section class="turn comparison" aria-label={t('compare')}>
			<header>
				<h2>{t('compare')}</h2>
				<OtherModel turn={turn} answers={answers} />
				<CompareButton turn={turn} />
			</header>
			<ul class="columns">
				{answers.map((answer) => {
					const isShown = answer.id === turn.id;
					const isOpen = streaming.value?.id === answer.id;
					return (
						<li key={answer.id} class={isShown ? 'shown' : ''} aria-busy={isOpen}>
							<h3>{modelNameOf(answer, page.value?.models)}</h3>
							<AnswerBody turn={answer} />
							{!isShown && (
								<p class="row">
									<button
										type="button"
										class="secondary"
										disabled={isBusy}
										onClick={() => send({ type: 'show', id: answer.id })}
									>
										{t('continueWith')}
									</button>
								</p>
							)}
						</li>
					);
				})}
			</ul>
		</section>
	);
}

/** Asks another model the same question. */
function OtherModel({ turn, answers }: { turn: Turn; answers: readonly Turn[] }): VNode | null {
	const { page, t, send } = useChat();
	const asked = new Set(answers.map(({ model }) => model));
	const others = (page.value?.models ?? []).filter(({ id }) => !asked.has(id));
	if (others.length === 0) return null;
	return (
		<select
			aria-label={t('compareWith')}
			value=""
			disabled={page.value?.answering != null}
			onChange={({ currentTarget }) => {
				const model = currentTarget.value;
				currentTarget.value = '';
				if (model !== '') send({ type: 'regenerate', id: turn.id, model });
			}}
		>
			<option value="">{t('compareWith')}</option>
			{others.map(({ id, displayName }) => (
				<option key={id} value={id}>
					{displayName || id}
				</option>
			))}
		</select>
	);
}
