/** What can be done about an error: the editor and the pages make buttons of it, the command line a command. */

import { defined } from './defined.ts';

/** A model that would help, as it is offered before anything is asked of the hub. */
export interface DownloadOffer {
	/** Name to download it by. */
	readonly model: string;
	/** Name for people. */
	readonly name: string;
	/** About how many bytes come; absent while unknown. */
	readonly bytes?: number;
	/** SPDX id, or the publisher's word. */
	readonly licence: string;
}

export type ErrorAction =
	| ({
			readonly kind: 'download';
			/** What is needed beside it. */
			readonly also?: readonly DownloadOffer[];
			/** What would do as well in place of all that. */
			readonly alternatives?: readonly DownloadOffer[];
	  } & DownloadOffer)
	| { readonly kind: 'search'; readonly words: string };

/** What an error says can be done; `undefined` where it says nothing, or nothing that is known here. */
export function errorActionOf({
	data,
}: {
	readonly data: Readonly<Record<string, unknown>> | undefined;
}): ErrorAction | undefined {
	return parseErrorAction(data?.['action']);
}

/** Reads an action that came from another process or server. */
export function parseErrorAction(value: unknown): ErrorAction | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { kind, words, also, alternatives } = value as Record<string, unknown>;
	if (kind === 'search') return typeof words === 'string' ? { kind, words } : undefined;
	const offer = offerOf(value);
	if (kind !== 'download' || !offer) return undefined;
	return {
		kind,
		...offer,
		...defined({ also: offersOf(also), alternatives: offersOf(alternatives) }),
	};
}

/** Every model that has to come for an action. */
export function offersIn(action: ErrorAction): readonly DownloadOffer[] {
	if (action.kind !== 'download') return [];
	const { kind: _, also = [], alternatives: _others, ...first } = action;
	return [first, ...also];
}

/** The command that does it. */
export function actionCommand(action: ErrorAction): string {
	if (action.kind === 'search') return `nearglot models search ${action.words}`;
	return offersIn(action)
		.map(({ model }) => `nearglot models pull ${model}`)
		.join('; ');
}

function offersOf(value: unknown): DownloadOffer[] | undefined {
	if (!Array.isArray(value)) return undefined;
	return value.flatMap((one) => offerOf(one) ?? []);
}

function offerOf(value: unknown): DownloadOffer | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { model, name, bytes, licence } = value as Record<string, unknown>;
	if (typeof model !== 'string' || typeof name !== 'string' || typeof licence !== 'string')
		return undefined;
	return { model, name, licence, ...(typeof bytes === 'number' ? { bytes } : {}) };
}

/** Licences that anybody may use models under for anything; the others are for people to accept. */
const open: ReadonlySet<string> = new Set([
	...['apache-2.0', 'mit', 'bsd-2-clause', 'bsd-3-clause', 'isc', 'mpl-2.0', 'unlicense'],
	...['cc0-1.0', 'cc-by-4.0', 'cc-by-3.0', 'cc-by-sa-4.0', 'lgpl-3.0', 'gpl-3.0'],
]);

/** Whether a licence is one that needs nobody's acceptance. */
export const isOpenLicence = (licence: string): boolean => open.has(licence.toLowerCase());
