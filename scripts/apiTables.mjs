/**
 * Writes the tables of routes in docs/api.md and docs/team-server.md from the route objects, between
 * `<!-- routes: SECTION -->` and `<!-- /routes -->`; `members` is the section of what members may call. A test
 * compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerSchema, requestSchema } from '../server/protocol/routes/fields.ts';
import { shownPath } from '../server/protocol/routes/route.ts';
import { routes } from '../server/protocol/routes/routes.ts';

/** Longest list of fields that stands in a table. */
const maxFields = 8;

const besides = {
	studio: 'studio page',
	local: 'programs of the same user',
	stranger: 'whoever has a ticket or key of its own',
};

function who({ who: role = 'owner', also = [] }) {
	// Whoever a role names may be a stranger, too, where a route is open to all.
	const others = role === 'anyone' ? [] : also;
	return [role, ...others.map((each) => besides[each])].join(', ');
}

/** The fields of an object as `{a, b?}`; nothing for what has many, or none. */
function fields({ properties = {}, required = [] }) {
	const names = Object.keys(properties);
	if (names.length === 0 || names.length > maxFields) return undefined;
	return `\`{${names.map((name) => (required.includes(name) ? name : `${name}?`)).join(', ')}}\``;
}

function what({ summary, body, answer, events, lines }) {
	const taken = body?.kind === 'json' ? fields(requestSchema(body.schema)) : undefined;
	const given = answer ? fields(answerSchema(answer)) : undefined;
	const said = (text) => text !== undefined && !summary.includes(text);
	return [
		summary,
		...(said(taken) ? [`takes ${taken}`] : []),
		...(said(given) ? [`answers ${given}`] : []),
		...(events ? ['streams events'] : []),
		...(lines ? ['streams lines of JSON'] : []),
	].join('; ');
}

function row(route) {
	const query = route.query ? Object.keys(requestSchema(route.query).properties ?? {}) : [];
	const search = query.length === 0 ? '' : `?${query.join('&')}`;
	const methods = route.shown ?? [route.method];
	return `| \`${methods.join(', ')} ${shownPath(route.path)}${search}\` | ${who(route)} | ${what(route)} |`;
}

/** What members do with the routes of a section. */
const doings = {
	chat: 'chat, complete, embed, count tokens, list models',
	anthropic: 'the same in Anthropic’s interface',
	ollama: 'the same in Ollama’s interface',
	models: 'see which models there are, without folders',
	batch: 'keep files, run batches',
	speech: 'transcribe',
	translation: 'translate, by the engine the owner chose',
	people:
		'end what goes on in the background for themselves (the gateway lets nobody ask this through it)',
	server: 'open the studio page, ask whether the server answers',
};

function memberRow([section, doing]) {
	const open = routes.filter(
		(route) => route.section === section && (route.who ?? 'owner') !== 'owner',
	);
	const paths = new Set(open.map(({ path }) => `\`${shownPath(path)}\``));
	return `| ${doing} | ${[...paths].join(', ')} |`;
}

function table(section) {
	if (section === 'members')
		return ['| Members may | Routes |', '| --- | --- |', ...Object.entries(doings).map(memberRow)];
	const rows = routes.filter((route) => route.section === section).map(row);
	return ['| Route | Who | What |', '| --- | --- | --- |', ...rows];
}

/** The text of a document with its tables as the routes are. */
export function withTables(text) {
	return text.replaceAll(
		/(<!-- routes: (\w+) -->\n).*?(<!-- \/routes -->)/gs,
		(_, start, section, end) => `${start}${table(section).join('\n')}\n${end}`,
	);
}

export const documents = ['api.md', 'team-server.md'];

if (process.argv[1] === fileURLToPath(import.meta.url))
	for (const name of documents) {
		const file = join(import.meta.dirname, '..', 'docs', name);
		writeFileSync(file, withTables(readFileSync(file, 'utf8')));
	}
