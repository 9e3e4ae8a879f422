/** Fields by which models are named, loaded and downloaded. */

import { defined } from '../defined.ts';
import { type PromptTemplate, promptRoles } from '../modelTypes.ts';
import { invalid, Refused, read } from './check.ts';
import {
	anyCase,
	boolean,
	integer,
	leaving,
	mapped,
	object,
	optional,
	requestSchema,
	ruled,
	string,
	unreadFields,
} from './fields.ts';
import { flagOf } from './formFields.ts';
import { epField, ttlField } from './loadFields.ts';

/** A text whose empty form means that nothing is said. */
const textField = (maxLength = 4096) =>
	mapped(string({ maxLength }), (text) => (text === '' ? undefined : text));

/** Empty means that nothing is said. */
const flagParameter = mapped(string({ maxLength: 40 }), (text) =>
	text === '' ? undefined : flagOf(text),
);

const ttlParameter = mapped(string({ maxLength: 40 }), (text) =>
	text === '' ? undefined : read(ttlField, /^-?\d{1,15}$/.test(text) ? Number(text) : text, ''),
);

/** `unload` (default true), `ttl` in seconds (above 0 it overrides `unload`), `ep`, `exact`. */
export const loadQuery = object({
	unload: optional(flagParameter),
	ttl: optional(ttlParameter),
	ep: optional(epField),
	exact: optional(flagParameter),
});

/** `force`: at once, whatever answers are on their way. */
export const unloadQuery = object({ force: optional(flagParameter) });

/** A text that stands for the message in a template. */
const templateText = mapped(textField(65_536), (text) => {
	if (text !== undefined && !text.includes('{Content}'))
		throw new Refused('', (name) => `${name} must contain {Content}, the place of the message.`);
	return text;
});

/** A chat template as texts per role; without roles the model's own counts again. */
const promptTemplateField = anyCase(
	Object.fromEntries(promptRoles.map((role) => [role, optional(templateText)])),
);

/** What `model` of a download says: which model, from where, and what is to be kept with it. */
export interface RequestedModel {
	/** Name of the catalogue, hub id, or the name that the model at `uri` gets (`name` or `name:version`). */
	readonly name?: string;
	readonly uri?: string;
	/** Folder inside the repository. */
	readonly path?: string;
	readonly providerType?: string;
	readonly publisher?: string;
	/** Without roles: the model's own chat template counts again. */
	readonly promptTemplate?: PromptTemplate;
}

const namedModel = anyCase({
	Name: optional(textField(300)),
	Uri: optional(textField()),
	Path: optional(textField()),
	ProviderType: optional(textField(100)),
	Publisher: optional(textField(200)),
	PromptTemplate: optional(promptTemplateField),
});

const requestedModel = leaving(
	ruled({ anyOf: [{ type: 'string' }, requestSchema(namedModel)] }, (value): RequestedModel => {
		if (typeof value === 'string' && value !== '') return { name: value };
		const { Name, Uri, Path, ProviderType, Publisher, PromptTemplate } = read(
			namedModel,
			value,
			'',
		);
		const local = Uri === undefined ? undefined : /^local:\/\/(.*)$/i.exec(Uri)?.[1];
		const name = Name ?? local;
		if (name === undefined && Uri === undefined)
			throw new Refused('', (field) => `${field} needs a Name or a Uri.`);
		return {
			...defined({ name }),
			...(Uri === undefined || local !== undefined ? {} : { uri: Uri }),
			...defined({
				path: Path,
				providerType: ProviderType,
				publisher: Publisher,
				promptTemplate: PromptTemplate,
			}),
		};
	}),
	(value, path) => unreadFields(namedModel, value, path),
);

export type ProgressToken = string | number | object;

/** Longest progress token, as JSON. */
const maxTokenChars = 4096;

const progressTokenField = ruled(
	{ type: ['string', 'number', 'object'] },
	(value): ProgressToken | undefined => {
		if (value === '') return undefined;
		const isToken = ['string', 'number', 'object'].includes(typeof value) && !Array.isArray(value);
		if (!isToken || JSON.stringify(value).length > maxTokenChars)
			throw invalid('', `a string, number or object of at most ${maxTokenChars} characters`);
		return value as ProgressToken;
	},
);

/** A download as the older model service is asked for it, names in any letter case. */
export const downloadRequest = anyCase({
	model: requestedModel,
	token: optional(textField()),
	customDirPath: optional(textField()),
	/** In KiB. */
	bufferSize: optional(integer({ min: 1, max: 65_536 })),
	/** Progress in the answer even when a token for the pipe is given. */
	ignorePipeReport: optional(boolean),
	/** Reported with the progress on the named pipe, as it came. */
	progressToken: optional(progressTokenField),
});
