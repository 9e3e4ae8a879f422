/** The pages of the studio. To add one: a row here, and its code in a file of its own, loaded when it is first opened. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { errorText } from './errorText.ts';
import type { IconName } from './icons.tsx';
import { isMember } from './signedInPerson.ts';
import type { StudioApi } from './studioApi.ts';
import { type StudioKey, text } from './studioText.ts';

type PageView = (props: { api: StudioApi }) => VNode | null;

export interface StudioPage {
	/** In the address: `#/NAME`. */
	readonly name: string;
	readonly label: StudioKey;
	readonly icon: IconName;
	/** Its code; the chat, which is there at once, has none. */
	readonly load?: () => Promise<PageView>;
	/** Whether it is there for whoever opened the studio; absent: for everybody. */
	readonly isFor?: (api: StudioApi) => boolean;
}

export const studioPages: readonly StudioPage[] = [
	{ name: 'chat', label: 'chat', icon: 'chat' },
	{
		name: 'translate',
		label: 'translate',
		icon: 'globe',
		load: async () => (await import('./translatePage.tsx')).TranslatePage,
	},
	{
		name: 'documents',
		label: 'documents',
		icon: 'documents',
		load: async () => (await import('./documentsPage.tsx')).DocumentsPage,
	},
	{
		name: 'transcribe',
		label: 'transcribe',
		icon: 'microphone',
		load: async () => (await import('./transcribePage.tsx')).TranscribePage,
	},
	{
		name: 'models',
		label: 'models',
		icon: 'models',
		load: async () => (await import('./modelsPage.tsx')).ModelsPage,
	},
	{
		name: 'jobs',
		label: 'jobs',
		icon: 'jobs',
		load: async () => (await import('./jobsPage.tsx')).JobsPage,
	},
	{
		name: 'people',
		label: 'people',
		icon: 'people',
		load: async () => (await import('./peoplePage.tsx')).PeoplePage,
		// Who came through a sign-in layer has no business with other people.
		isFor: () => !isMember(),
	},
	{
		name: 'requests',
		label: 'requests',
		icon: 'requests',
		load: async () => (await import('./requestsPage.tsx')).RequestsPage,
		// Whose access has ended may open it again, above the page.
		isFor: (api) => api.ended.value || api.hasAccess,
	},
];

/** The pages there are for whoever opened the studio. */
export const pagesHere = (api: StudioApi): readonly StudioPage[] =>
	studioPages.filter(({ isFor }) => isFor?.(api) ?? true);

const loaded = signal<ReadonlyMap<string, PageView>>(new Map());
const problems = signal<ReadonlyMap<string, string>>(new Map());
const loading = new Set<string>();

/** A page whose code comes when it is first shown. */
export function LoadedPage({ page, api }: { page: StudioPage; api: StudioApi }): VNode {
	const { name, load } = page;
	const View = loaded.value.get(name);
	if (View) return <View api={api} />;
	const problem = problems.value.get(name);
	if (load && problem === undefined && !loading.has(name)) {
		loading.add(name);
		load()
			.then(
				(view) => {
					loaded.value = new Map([...loaded.value, [name, view]]);
				},
				(error: unknown) => {
					problems.value = new Map([...problems.value, [name, errorText(error)]]);
				},
			)
			.finally(() => loading.delete(name));
	}
	if (problem === undefined) return <p class="page-loading" role="status" />;
	const again = () => {
		problems.value = new Map([...problems.value].filter(([other]) => other !== name));
	};
	return (
		<section class="tool">
			<p class="error" role="alert">
				{problem}
			</p>
			<p>
				<button type="button" onClick={again}>
					{text('tryAgain')}
				</button>
			</p>
		</section>
	);
}
