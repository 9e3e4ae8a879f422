/** What the agent asks and what it has changed, between the log and the input. */

import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ApprovalRequest } from '../server/protocol/index.ts';
import { IconButton } from './icons.tsx';
import { useChat } from './page.ts';
import type { StringKey } from './protocol.ts';

export function AgentBar(): VNode | null {
	const { agent } = useChat();
	const { approval = null, files = [], allowed = 0, isOn = false } = agent.value ?? {};
	return (
		<>
			{files.length > 0 && <ChangedFiles />}
			{isOn && allowed > 0 && <Allowed count={allowed} />}
			{approval && <Approval request={approval} key={approval.id} />}
		</>
	);
}

/** Milliseconds after which a card can be answered. */
const readyAfterMs = 500;

/** What a tool asks, as people say it. */
const questions: ReadonlyMap<string, StringKey> = new Map([
	['edit_file', 'asksEdit'],
	['read_file', 'asksRead'],
	['run_command', 'asksRun'],
]);

/** A tool waits: nothing is chosen beforehand but not to allow it. */
function Approval({ request }: { request: ApprovalRequest }): VNode {
	const { send, t } = useChat();
	const card = useRef<HTMLElement>(null);
	/** A second click was for the card before. */
	const isReady = useSignal(false);
	const { id, tool, detail, eachTime } = request;
	useEffect(() => {
		card.current?.focus();
		const timer = setTimeout(() => {
			isReady.value = true;
		}, readyAfterMs);
		return () => clearTimeout(timer);
	}, [isReady]);
	const button = (choice: 'once' | 'session' | 'always' | 'no', label: string) => (
		<button
			type="button"
			class={choice === 'once' ? '' : 'secondary'}
			disabled={!isReady.value}
			onClick={() => send({ type: 'approve', id, choice })}
		>
			{label}
		</button>
	);
	return (
		<section
			ref={card}
			class="approval"
			role="alertdialog"
			aria-labelledby="approval-title"
			aria-describedby="approval-detail"
			tabIndex={-1}
		>
			<h2 id="approval-title">{t(questions.get(tool) ?? 'asksConsent', tool)}</h2>
			<pre id="approval-detail">{detail}</pre>
			<div class="row">
				{button('once', t('allowOnce'))}
				{!eachTime && button('session', t('allowSession'))}
				{!eachTime && button('always', t('allowAlways'))}
				{button('no', t('allowNo'))}
			</div>
		</section>
	);
}

/** Leads to what is not asked for any more. */
function Allowed({ count }: { count: number }): VNode {
	const { send, t } = useChat();
	return (
		<p class="allowed">
			<button
				type="button"
				class="link"
				title={t('allowedHint')}
				onClick={() => send({ type: 'allowances' })}
			>
				{t('allowed', count)}
			</button>
		</p>
	);
}

function ChangedFiles(): VNode {
	const { agent, send, t } = useChat();
	const files = agent.value?.files ?? [];
	return (
		<section class="changed-files" aria-labelledby="changed-files">
			<header>
				<span id="changed-files">{t('changedFiles', files.length)}</span>
				<button
					type="button"
					class="link"
					onClick={() => send({ type: 'changes', action: 'keep', uri: '' })}
				>
					{t('keepAll')}
				</button>
				<button
					type="button"
					class="link"
					onClick={() => send({ type: 'changes', action: 'undo', uri: '' })}
				>
					{t('undoAll')}
				</button>
			</header>
			<ul>
				{files.map(({ uri, label }) => (
					<li key={uri}>
						<button
							type="button"
							class="link"
							title={t('showChange', label)}
							onClick={() => send({ type: 'changes', action: 'show', uri })}
						>
							{label}
						</button>
						<IconButton
							icon="done"
							label={t('keepFile', label)}
							onClick={() => send({ type: 'changes', action: 'keep', uri })}
						/>
						<IconButton
							icon="undo"
							label={t('undoFile', label)}
							onClick={() => send({ type: 'changes', action: 'undo', uri })}
						/>
					</li>
				))}
			</ul>
		</section>
	);
}
