/** A chat before the first question: what the chosen model can do, with questions to begin with. */

import type { VNode } from 'preact';
import { usualChatModel } from '../server/protocol/index.ts';
import { useChat } from './page.ts';

/** What the built-in model answers well. */
const builtInQuestions = [
	'How do I extract a tar.gz file?',
	'Show the free disk space',
	'List files by size',
	'Find files that changed today',
];

/** What larger models do with the open file; the cursor waits behind the command. */
const commands = ['/explain', '/fix', '/tests', '/commit'];

export function EmptyChat(): VNode {
	const { page, draft, focusAsked, send, t } = useChat();
	const { models = [], model = '' } = page.value ?? {};
	const chosen = models.find(({ id }) => id === model) ?? usualChatModel(models);
	if (chosen?.origin !== 'built-in')
		return (
			<div class="empty">
				<p class="title">{t('emptyTitle')}</p>
				<p>
					{chosen?.origin === 'upstream'
						? t('emptyElsewhere', chosen.publisher)
						: t(model.startsWith('team:') ? 'emptyTeam' : 'emptyBody')}
				</p>
				<p class="examples">
					{/* Before the models are known, nothing is known of what they can do. */}
					{(chosen ? commands : []).map((command) => (
						<button
							key={command}
							type="button"
							class="example"
							onClick={() => {
								draft.value = `${command} `;
								focusAsked.value++;
							}}
						>
							{command}
						</button>
					))}
				</p>
			</div>
		);
	return (
		<div class="empty">
			<p class="title">{t('emptyTitleBuiltIn')}</p>
			<p>{t('emptyBuiltIn')}</p>
			<p class="examples" lang="en">
				{builtInQuestions.map((question) => (
					<button
						key={question}
						type="button"
						class="example"
						onClick={() => send({ type: 'ask', text: question })}
					>
						{question}
					</button>
				))}
			</p>
			<p>
				<button type="button" class="link" onClick={() => send({ type: 'betterModel' })}>
					{t('betterModel')}
				</button>
			</p>
		</div>
	);
}
