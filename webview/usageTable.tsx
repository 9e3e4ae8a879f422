/** What people have used, added up as the reader wants it. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import * as routes from '../server/protocol/routeAddresses.ts';
import type { AnswerOf } from '../server/protocol/routes/route.ts';
import { errorText } from './errorText.ts';
import { numberText } from './numberText.ts';
import type { StudioApi } from './studioApi.ts';
import { type StudioKey, text } from './studioText.ts';

type Usage = AnswerOf<typeof routes.showUsage>;
type UsageEntry = Usage['rows'][number];

const groups = ['person', 'model', 'kind', 'day'] as const;
const groupTexts: Readonly<Record<(typeof groups)[number], StudioKey>> = {
	person: 'person',
	model: 'model',
	kind: 'forWhat',
	day: 'day',
};

const columns: readonly (readonly [keyof UsageEntry, StudioKey])[] = [
	['requests', 'requests'],
	['promptTokens', 'promptTokens'],
	['cachedTokens', 'cachedTokens'],
	['completionTokens', 'completionTokens'],
	['seconds', 'seconds'],
	['characters', 'characters'],
];

const dayMs = 86_400_000;
const dayAgo = (days: number): string =>
	new Date(performance.timeOrigin + performance.now() - days * dayMs).toISOString().slice(0, 10);

const usage = signal<Usage | undefined>(undefined);
const by = signal<(typeof groups)[number]>('person');
const from = signal(dayAgo(30));
const to = signal(dayAgo(0));
const problem = signal('');

async function look(api: StudioApi): Promise<void> {
	const query = {
		by: by.value,
		...(from.value === '' ? {} : { from: from.value }),
		...(to.value === '' ? {} : { to: to.value }),
	};
	try {
		usage.value = await api.client.call(routes.showUsage, { query });
		problem.value = '';
	} catch (error) {
		problem.value = errorText(error);
	}
}

/** @param names of keys, by the person as whom they count */
export function UsageTable(props: { api: StudioApi; names: ReadonlyMap<string, string> }): VNode {
	const { api, names } = props;
	useEffect(() => void look(api), [api]);
	const rows = usage.value?.rows ?? [];
	const shown = columns.filter(([field]) => rows.some((row) => Number(row[field] ?? 0) > 0));
	return (
		<section class="usage" aria-label={text('usage')}>
			<h2>{text('usage')}</h2>
			<form
				class="usage-choices"
				onChange={(event) => {
					const fields = new FormData(event.currentTarget);
					from.value = String(fields.get('from') ?? '');
					to.value = String(fields.get('to') ?? '');
					by.value = groups.find((group) => group === fields.get('by')) ?? 'person';
					void look(api);
				}}
				onSubmit={(event) => event.preventDefault()}
			>
				<label>
					{text('fromDay')}
					<input name="from" type="date" value={from.value} />
				</label>
				<label>
					{text('toDay')}
					<input name="to" type="date" value={to.value} />
				</label>
				<label>
					{text('addedBy')}
					<select name="by" value={by.value}>
						{groups.map((group) => (
							<option key={group} value={group}>
								{text(groupTexts[group])}
							</option>
						))}
					</select>
				</label>
			</form>
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
			{usage.value?.shared === false && <p class="note">{text('countedAlone')}</p>}
			{usage.value?.kept === false && <p class="note">{text('usageNotKept')}</p>}
			{rows.length === 0 ? (
				<p class="note">{text('nothingUsed')}</p>
			) : (
				<table class="models">
					<thead>
						<tr>
							<th scope="col">{text(groupTexts[by.value])}</th>
							{shown.map(([field, key]) => (
								<th key={field} scope="col">
									{text(key)}
								</th>
							))}
							<th scope="col">
								<span class="visually-hidden">{text('actions')}</span>
							</th>
						</tr>
					</thead>
					<tbody>
						{rows.map((row) => (
							<UsageRowView key={row.name} api={api} row={row} names={names} shown={shown} />
						))}
					</tbody>
				</table>
			)}
		</section>
	);
}

function UsageRowView(props: {
	api: StudioApi;
	row: UsageEntry;
	names: ReadonlyMap<string, string>;
	shown: typeof columns;
}): VNode {
	const { api, row, names, shown } = props;
	const name = row.name ?? '';
	const key = by.value === 'person' ? names.get(name) : undefined;
	const forget = async () => {
		if (!confirm(text('forgetSure', key ?? name))) return;
		try {
			await api.client.call(routes.deleteUsage, { body: { person: name } });
			await look(api);
		} catch (error) {
			problem.value = errorText(error);
		}
	};
	return (
		<tr>
			<th scope="row">
				{key ?? (by.value === 'person' && name === 'local' ? text('ownUse') : name)}{' '}
				{key !== undefined && <span class="note">{name}</span>}
			</th>
			{shown.map(([field, label]) => (
				<td key={field} data-name={text(label)}>
					{numberText(Number(row[field] ?? 0))}
				</td>
			))}
			<td class="actions">
				{by.value === 'person' && (
					<button type="button" class="secondary" onClick={() => void forget()}>
						{text('forget')}
					</button>
				)}
			</td>
		</tr>
	);
}
