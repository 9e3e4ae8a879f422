/** Where a question is written: input, attachments, model and send or stop. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type ModelInfo, usualChatModel } from '../server/protocol/index.ts';
import { imageUrl } from '../server/protocol/wireMessages.ts';
import { isComposing } from './composing.ts';
import { droppedFiles } from './droppedFiles.ts';
import { Icon, IconButton } from './icons.tsx';
import { chosenId, MentionList, mentionListId, useMentions } from './mentions.tsx';
import { useChat } from './page.ts';
import { imageMessage, imagesIn } from './pastedImages.ts';

/** Milliseconds without a key after which the prompt is counted. */
const countAfterMs = 400;

export function Composer(): VNode {
	const chat = useChat();
	const { page, draft, send, t, focusAsked } = chat;
	const input = useRef<HTMLTextAreaElement>(null);
	const mentions = useMentions(input);
	/** Why an image was not attached. */
	const refused = useMemo(() => signal(''), []);
	const answering = page.value?.answering !== null && page.value !== undefined;
	const editor = page.value?.capabilities.editor ?? false;
	const dictating = chat.dictatedTo.value !== undefined;
	useEffect(() => {
		if (focusAsked.value > 0) input.current?.focus();
	}, [focusAsked.value]);
	useEffect(() => {
		refused.value = '';
	}, [page.value?.model, draft.value, refused]);
	useEffect(() => {
		chat.tokens.value = undefined;
		if (draft.value.trim() === '') return;
		const timer = setTimeout(() => send({ type: 'count', text: draft.value }), countAfterMs);
		return () => clearTimeout(timer);
	}, [
		draft.value,
		page.value?.model,
		page.value?.attachments,
		page.value?.context?.map(({ label, on }) => `${on} ${label}`).join(),
		send,
		chat,
	]);
	const submit = () => {
		if (answering || draft.value.trim() === '') return;
		send({ type: 'ask', text: draft.value });
		draft.value = '';
		mentions.close();
	};
	const attachImages = (files: readonly File[]) => {
		const { models = [], model: chosen = '' } = page.value ?? {};
		const model = models.find(({ id }) => id === chosen) ?? usualChatModel(models);
		refused.value = '';
		if (model?.supportsImageInput !== true) {
			refused.value = t('blind', model?.displayName ?? chosen);
			return;
		}
		for (const file of files)
			imageMessage(file).then(send, () => {
				refused.value = t('noImage', file.name);
			});
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (mentions.onKey(event)) event.preventDefault();
		else if (event.key === 'Enter' && !event.shiftKey && !isComposing(event)) {
			event.preventDefault();
			submit();
		} else if (event.key === 'Escape' && answering) {
			send({ type: 'stop' });
		}
	};
	return (
		<form
			class="composer"
			onSubmit={(event) => {
				event.preventDefault();
				submit();
			}}
			onDragOver={(event) => event.preventDefault()}
			onDrop={(event) => {
				event.preventDefault();
				const { dataTransfer } = event;
				if (!dataTransfer) return;
				const images = imagesIn(dataTransfer);
				if (images.length > 0) attachImages(images);
				else if (editor) void droppedFiles(dataTransfer).then((messages) => messages.forEach(send));
			}}
		>
			<MentionList mentions={mentions} />
			<Attachments />
			<textarea
				ref={input}
				rows={Math.min(10, Math.max(2, draft.value.split('\n').length))}
				aria-label={t('ask')}
				placeholder={t('askHint')}
				value={draft.value}
				aria-autocomplete={editor ? 'list' : undefined}
				aria-controls={mentions.items.value.length > 0 ? mentionListId : undefined}
				aria-activedescendant={chosenId(mentions)}
				onInput={(event) => {
					draft.value = event.currentTarget.value;
					mentions.look();
				}}
				onKeyDown={onKeyDown}
				onPaste={(event) => {
					const images = imagesIn(event.clipboardData);
					// A table of a spreadsheet comes as a picture, too: its text is what is meant.
					if (images.length === 0 || event.clipboardData?.getData('text/plain')) return;
					event.preventDefault();
					attachImages(images);
				}}
				onSelect={mentions.look}
				onBlur={mentions.close}
			/>
			<TooLong />
			{refused.value !== '' && <output class="tokens error">{refused}</output>}
			<div class="row">
				<ModelPicker />
				<TokenCount />
				<AgentSwitch />
				<Tools />
				{editor && (
					<>
						<IconButton
							icon="attach"
							label={t('attach')}
							onClick={() => send({ type: 'attach' })}
						/>
						<IconButton
							icon={dictating ? 'stop' : 'microphone'}
							label={t(dictating ? 'dictateEnd' : 'dictate')}
							onClick={() => send({ type: 'dictate' })}
						/>
					</>
				)}
				{answering ? (
					<button type="button" class="send stop" onClick={() => send({ type: 'stop' })}>
						<Icon name="stop" />
						<span>{t('stop')}</span>
					</button>
				) : (
					<button type="submit" class="send" disabled={draft.value.trim() === ''}>
						<Icon name="send" />
						<span>{t('send')}</span>
					</button>
				)}
			</div>
		</form>
	);
}

function Attachments(): VNode | null {
	const { page, send, t } = useChat();
	const attachments = page.value?.attachments ?? [];
	const context = page.value?.context ?? [];
	if (attachments.length + context.length === 0) return null;
	return (
		<ul class="chips">
			{context.map(({ kind, label, on }) => (
				<li key={kind} class={on ? '' : 'offered'}>
					<button
						type="button"
						class="chip-toggle"
						aria-pressed={on}
						title={t(on ? 'leaveOut' : 'addToQuestion', label)}
						onClick={() => send({ type: 'context', kind })}
					>
						<Icon name={on ? 'done' : 'plus'} />
						{label}
					</button>
				</li>
			))}
			{attachments.map((attachment, index) => (
				<li key={index}>
					{attachment.image !== undefined && (
						<img class="thumbnail" src={imageUrl(attachment.image)} alt="" />
					)}
					{attachment.label}
					<IconButton
						icon="remove"
						label={t('remove', attachment.label)}
						onClick={() => send({ type: 'detach', index })}
					/>
				</li>
			))}
		</ul>
	);
}

function ModelPicker(): VNode {
	const { page, send, t } = useChat();
	const { models, model } = page.value ?? { models: [], model: '' };
	if (models.length === 0) return <span class="model">{t('noModel')}</span>;
	const here = models.filter(({ origin }) => origin !== 'team' && origin !== 'upstream');
	const team = models.filter(({ origin }) => origin === 'team');
	const elsewhere = models.filter(({ origin }) => origin === 'upstream');
	return (
		<select
			class="model"
			aria-label={t('model')}
			value={model || usualChatModel(models)?.id}
			onFocus={() => send({ type: 'models' })}
			onChange={(event) => send({ type: 'model', model: event.currentTarget.value })}
		>
			{model !== '' && !models.some(({ id }) => id === model) && (
				// Chosen, and not to be had just now: a team server that cannot be reached.
				<option value={model}>{model}</option>
			)}
			{here.length === models.length ? (
				options(here)
			) : (
				<>
					{here.length > 0 && <optgroup label={t('here')}>{options(here)}</optgroup>}
					{team.length > 0 && (
						<optgroup label={t('team', team[0]?.publisher ?? '')}>{options(team)}</optgroup>
					)}
					{elsewhere.length > 0 && <optgroup label={t('elsewhere')}>{options(elsewhere)}</optgroup>}
				</>
			)}
		</select>
	);
}

function options(models: readonly ModelInfo[]): VNode[] {
	return models.map(({ id, displayName }) => (
		<option key={id} value={id}>
			{displayName}
		</option>
	));
}

/** Lets the model work in the workspace; there only where it may. */
function AgentSwitch(): VNode | null {
	const { agent, page, send, t } = useChat();
	if (!agent.value?.isPossible) return null;
	const { isOn } = agent.value;
	const { models = [], model: chosen = '' } = page.value ?? {};
	const model = models.find(({ id }) => id === chosen) ?? usualChatModel(models);
	const isAble = model?.supportsToolCalling === true;
	return (
		<button
			type="button"
			class={isOn && isAble ? 'agent on' : 'agent'}
			aria-pressed={isOn && isAble}
			disabled={!isAble}
			title={t(isAble ? 'agentHint' : 'agentUnable')}
			onClick={() => send({ type: 'agent' })}
		>
			{t('agent')}
		</button>
	);
}

/** How many tools the model may call; opens the choice. */
function Tools(): VNode | null {
	const { page, send, t } = useChat();
	const tools = page.value?.tools ?? [];
	if (tools.length === 0) return null;
	return (
		<button
			type="button"
			class="link"
			title={tools.join(', ')}
			onClick={() => send({ type: 'tools' })}
		>
			{t('tools', tools.length)}
		</button>
	);
}

/** Size of the prompt as it would be sent. */
function TokenCount(): VNode | null {
	const { draft, tokens, t } = useChat();
	const counted = tokens.value;
	// A count may come when its question has been sent.
	if (draft.value.trim() === '' || !counted || counted.tokens === 0 || over(counted) > 0)
		return null;
	const words = t('tokens', counted.tokens);
	if (counted.limit === null) return <output class="tokens">{words}</output>;
	return (
		<output class="tokens" title={t('tokensOf', counted.tokens, counted.limit)}>
			<Ring share={counted.tokens / counted.limit} />
			<span>{words}</span>
		</output>
	);
}

/** How much of what a model can read is taken. */
function Ring({ share }: { share: number }): VNode {
	return (
		<svg class={share > 0.8 ? 'ring nearly' : 'ring'} viewBox="0 0 16 16" aria-hidden="true">
			<circle cx="8" cy="8" r="6" />
			<circle cx="8" cy="8" r="6" pathLength="100" stroke-dasharray={`${100 * share} 100`} />
		</svg>
	);
}

/** By how much a question is too long that would be sent alone. Sending it says the same. */
function TooLong(): VNode | null {
	const { tokens, t } = useChat();
	const counted = tokens.value;
	if (!counted || over(counted) <= 0) return null;
	const { tokens: count, limit } = counted;
	return <output class="tokens error">{t('tooLong', over(counted), count, limit ?? 0)}</output>;
}

/** Tokens to take away before the model can read the prompt and say a word. */
function over({ tokens, limit }: { readonly tokens: number; readonly limit: number | null }) {
	return limit === null ? 0 : tokens - limit + 1;
}
