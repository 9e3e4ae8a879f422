/** People and usage: the keys that others were given, what they may use and what they have used. The owner's page. */

import { type Signal, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { keyScopes, type LimitField, limitFields } from '../server/protocol/limitTypes.ts';
import * as routes from '../server/protocol/routeAddresses.ts';
import type { AnswerOf, RequestOf } from '../server/protocol/routes/route.ts';
import { errorText } from './errorText.ts';
import { dayText, numberText } from './numberText.ts';
import { isMember } from './signedInPerson.ts';
import type { StudioApi } from './studioApi.ts';
import { type StudioKey, text } from './studioText.ts';
import { UsageTable } from './usageTable.tsx';

type Keys = AnswerOf<typeof routes.listKeys>;
type Key = Keys['keys'][number];
type ShownLimits = Keys['peopleLimits'];

const keys: Signal<Keys | undefined> = signal(undefined);
/** A key that was made at this moment; it is shown until the page is left. */
const made: Signal<{ readonly name: string; readonly key: string } | undefined> = signal(undefined);
const problem = signal('');

async function refresh(api: StudioApi): Promise<void> {
	try {
		keys.value = await api.client.call(routes.listKeys, {});
		problem.value = '';
	} catch (error) {
		problem.value = errorText(error);
	}
}

/** Runs what a button does and shows what became of it. */
async function act(api: StudioApi, work: () => Promise<unknown>): Promise<boolean> {
	try {
		await work();
	} catch (error) {
		problem.value = errorText(error);
		return false;
	}
	await refresh(api);
	return true;
}

export function PeoplePage({ api }: { api: StudioApi }): VNode {
	useEffect(() => {
		if (api.hasAccess) void refresh(api);
		return () => {
			made.value = undefined;
		};
	}, [api]);
	if (!api.hasAccess)
		return (
			<section class="tool" aria-label={text('people')}>
				<p class="note">{text(isMember() ? 'ownersPeople' : 'peopleKeyNeeded')}</p>
			</section>
		);
	return (
		<section class="tool people" aria-label={text('people')}>
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
			{made.value !== undefined && <MadeKey name={made.value.name} value={made.value.key} />}
			{keys.value !== undefined && (
				<>
					<KeyTable api={api} keys={keys.value.keys} />
					<NewKey api={api} />
					<PeopleLimits
						api={api}
						limits={keys.value.peopleLimits}
						isFixed={keys.value.peopleLimitsFixed}
					/>
				</>
			)}
			<UsageTable
				api={api}
				names={
					new Map(
						[...(keys.value?.revoked ?? []), ...(keys.value?.keys ?? [])].map(({ id, name }) => [
							`key:${id}`,
							name,
						]),
					)
				}
			/>
		</section>
	);
}

function MadeKey({ name, value }: { name: string; value: string }): VNode {
	return (
		<div class="made-key" role="status">
			<p>{text('keyMade', name)}</p>
			<code>{value}</code>
			<button type="button" onClick={() => void navigator.clipboard.writeText(value)}>
				{text('copyKey')}
			</button>
		</div>
	);
}

const scopeTexts: Readonly<Record<(typeof keyScopes)[number], StudioKey>> = {
	chat: 'chat',
	embeddings: 'embeddings',
	rerank: 'rerank',
	speech: 'speech',
	translate: 'translate',
};

const limitTexts: Readonly<Record<LimitField, StudioKey>> = {
	tokensPerMinute: 'tokensPerMinute',
	tokensPerDay: 'tokensPerDay',
	secondsPerMinute: 'secondsPerMinute',
	secondsPerDay: 'secondsPerDay',
	charactersPerMinute: 'charactersPerMinute',
	charactersPerDay: 'charactersPerDay',
};

const limitsText = (limits: ShownLimits): string => {
	const sizes = new Map(Object.entries(limits));
	return (
		limitFields
			.filter(({ field }) => sizes.get(field) !== undefined)
			.map(({ field }) => `${text(limitTexts[field])}: ${numberText(sizes.get(field) ?? 0)}`)
			.join(' · ') || text('noLimit')
	);
};

function KeyTable({ api, keys: rows }: { api: StudioApi; keys: readonly Key[] }): VNode {
	if (rows.length === 0) return <p class="note">{text('noKeys')}</p>;
	return (
		<table class="models">
			<caption>{text('keys')}</caption>
			<thead>
				<tr>
					<th scope="col">{text('name')}</th>
					<th scope="col">{text('forWhat')}</th>
					<th scope="col">{text('limits')}</th>
					<th scope="col">{text('expires')}</th>
					<th scope="col">
						<span class="visually-hidden">{text('actions')}</span>
					</th>
				</tr>
			</thead>
			<tbody>
				{rows.map((key) => (
					<KeyRow key={key.id} api={api} entry={key} />
				))}
			</tbody>
		</table>
	);
}

function KeyRow({ api, entry }: { api: StudioApi; entry: Key }): VNode {
	const { id, name, scopes, limits, expiresAt, expired } = entry;
	const known = keyScopes.filter((scope) => scopes.includes(scope));
	const ends = expiresAt === undefined ? '' : dayText(expiresAt);
	const rotate = async () => {
		if (!confirm(text('rotateSure', name))) return;
		await act(api, async () => {
			const { key } = await api.client.call(routes.rotateKey, { body: { key: id } });
			made.value = { name, key };
		});
	};
	const revoke = async () => {
		if (confirm(text('revokeSure', name)))
			await act(api, () => api.client.call(routes.revokeKey, { body: { key: id } }));
	};
	return (
		<tr>
			<th scope="row">
				{name} <span class="note">{id}</span>
			</th>
			<td>{known.map((scope) => text(scopeTexts[scope])).join(', ')}</td>
			<td>{limitsText(limits)}</td>
			<td>{expired ? text('expired') : ends}</td>
			<td class="actions">
				<button type="button" class="secondary" onClick={() => void rotate()}>
					{text('rotate')}
				</button>
				<button type="button" class="secondary" onClick={() => void revoke()}>
					{text('revoke')}
				</button>
			</td>
		</tr>
	);
}

/** Fields for every limit. */
function LimitInputs({ limits = {} }: { limits?: ShownLimits }): VNode {
	const sizes = new Map(Object.entries(limits));
	return (
		<fieldset class="limits">
			<legend>{text('limits')}</legend>
			{limitFields.map(({ field }) => (
				<label key={field}>
					{text(limitTexts[field])}
					<input
						name={field}
						type="number"
						min={1}
						step={1}
						placeholder={text('noLimit')}
						defaultValue={sizes.get(field) ?? ''}
					/>
				</label>
			))}
		</fieldset>
	);
}

function readLimits(form: FormData): RequestOf<typeof routes.setPeopleLimits> {
	const filled = limitFields.flatMap(({ field }) => {
		const written = String(form.get(field) ?? '').trim();
		return written === '' ? [] : [[field, Number(written)] as const];
	});
	return Object.fromEntries(filled);
}

function NewKey({ api }: { api: StudioApi }): VNode {
	const make = async (form: HTMLFormElement) => {
		const fields = new FormData(form);
		const name = String(fields.get('name') ?? '').trim();
		const scopes = keyScopes.filter((scope) => fields.get(`scope ${scope}`) !== null);
		const day = String(fields.get('expires') ?? '');
		const isMade = await act(api, async () => {
			const { key } = await api.client.call(routes.createKey, {
				body: {
					...{ name, scopes, ...readLimits(fields) },
					...(day === '' ? {} : { expiresAt: day }),
				},
			});
			made.value = { name, key };
		});
		if (isMade) form.reset();
	};
	return (
		<details>
			<summary>{text('newKey')}</summary>
			<form
				class="key-options"
				onSubmit={(event) => {
					event.preventDefault();
					void make(event.currentTarget);
				}}
			>
				<label>
					{text('name')}
					<input name="name" required maxLength={100} autocomplete="off" />
				</label>
				<fieldset>
					<legend>{text('forWhat')}</legend>
					{keyScopes.map((scope) => (
						<label key={scope}>
							<input type="checkbox" name={`scope ${scope}`} defaultChecked={scope === 'chat'} />
							{text(scopeTexts[scope])}
						</label>
					))}
				</fieldset>
				<LimitInputs />
				<label>
					{text('expires')}
					<input name="expires" type="date" />
				</label>
				<button type="submit">{text('makeKey')}</button>
			</form>
		</details>
	);
}

function PeopleLimits(props: { api: StudioApi; limits: ShownLimits; isFixed: boolean }): VNode {
	const { api, limits, isFixed } = props;
	return (
		<details>
			<summary>{text('peopleLimits', limitsText(limits))}</summary>
			{isFixed ? (
				<p class="note">{text('peopleLimitsFixed')}</p>
			) : (
				<form
					// Other limits are other fields.
					key={JSON.stringify(limits)}
					class="key-options"
					onSubmit={(event) => {
						event.preventDefault();
						const body = readLimits(new FormData(event.currentTarget));
						void act(api, () => api.client.call(routes.setPeopleLimits, { body }));
					}}
				>
					<LimitInputs limits={limits} />
					<button type="submit">{text('save')}</button>
				</form>
			)}
		</details>
	);
}
