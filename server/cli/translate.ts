/** `nearglot translate`: text from the arguments or from standard input, through the daemon. */

import { findOrStartDaemon } from '../daemon/client.ts';
import { jsonRequest } from '../protocol/client.ts';
import { AppError } from '../protocol/index.ts';
import { cutText } from '../translate/cutText.ts';
import { type DetectedText, readDetected } from '../translate/detectedText.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import { textBatches } from '../translate/textBatches.ts';
import { readArgs, readStdin } from './args.ts';
import { type Command, UsageError } from './command.ts';
import { meaningOf, noFile } from './namedFile.ts';
import { translateFile, translateInto } from './translateFile.ts';

const help = `
Usage: nearglot translate [TEXT|-] --to LANGUAGE[,LANGUAGE…] [OPTIONS]
       nearglot translate FILE --to LANGUAGE[,LANGUAGE…] [--out PATH] [--force]
       nearglot translate FILE --to LANGUAGE --into TRANSLATED-FILE

Translates text with the models on this machine. Without TEXT, or with -, the text
comes from standard input. Of a FILE (Markdown, HTML, JSON, ARB, YAML, XLIFF, po,
properties, srt, vtt, txt) only the words are translated; code, placeholders, keys and
times stay, and messages with plural forms get those of the target language. Texts
that cannot be translated stay as they are and are named at the end.

  --to LANGUAGE      target language, several with commas: --to de,fr
  --from LANGUAGE    source language; when not given it is detected, once for a FILE
  --html             the text is HTML: tags stay, marked content is left alone
  --category NAME    use a custom system (see: nearglot systems --help)
  --engine NAME      local, team or hosted: who translates, for this call
  --out PATH         where a FILE's translation goes; {to} stands for the language
  --into PATH        a translated message file (JSON, ARB, YAML, properties, po): only what
                     it lacks is translated and added to it
  --force            replace files that exist
  --json             the whole answer as JSON, as the translate interface gives it
  --align            with --json: which word became which
  --help             this text

Examples:
  nearglot translate "The file could not be opened." --to de
  nearglot translate README.md --to de,fr --out "README.{to}.md"
  nearglot translate locales/en.json --to de --into locales/de.json
  git log -1 --format=%B | nearglot translate --to fr
`;

export const translateCommand: Command = {
	name: 'translate',
	summary: 'Translate text.',
	help,
	run: async (args, io) => {
		const options = readArgs(args, {
			to: { type: 'string', multiple: true },
			from: { type: 'string' },
			html: { type: 'boolean' },
			json: { type: 'boolean' },
			align: { type: 'boolean' },
			category: { type: 'string' },
			engine: { type: 'string' },
			out: { type: 'string' },
			into: { type: 'string' },
			force: { type: 'boolean' },
		});
		const targets = options
			.texts('to')
			.flatMap((list) => list.split(','))
			.map((to) => to.trim())
			.filter((to) => to !== '');
		if (targets.length === 0) throw new UsageError('Say into which language: --to de');
		if (options.positionals.length > 1)
			throw new UsageError('Put the text in quotes: nearglot translate "two words" --to de');
		const [given] = options.positionals;
		const meaning = given === undefined || given === '-' ? 'text' : await meaningOf(given);
		if (given !== undefined && (meaning === 'folder' || meaning === 'missing'))
			throw new AppError('not_found', noFile(given, meaning));
		const document = given !== undefined && meaning === 'file';
		const into = options.text('into');
		if (
			!document &&
			(options.text('out') !== undefined || into !== undefined || options.has('force'))
		)
			throw new UsageError('--out, --into and --force go with a FILE.');
		if (into !== undefined && (targets.length > 1 || options.text('out') !== undefined))
			throw new UsageError('--into takes one language and no --out.');
		const text = document
			? given
			: given === undefined || given === '-'
				? await readStdin(io.stdin)
				: given;
		if (text.trim() === '') throw new UsageError('There is no text to translate.');

		const query = new URLSearchParams({ 'api-version': '3.0', to: targets.join(',') });
		const from = options.text('from');
		if (from !== undefined) query.set('from', from);
		const category = options.text('category');
		if (category !== undefined) query.set('category', category);
		const engine = options.text('engine');
		if (engine !== undefined) query.set('engine', engine);
		if (options.has('html')) query.set('textType', 'html');
		if (options.has('align')) query.set('includeAlignment', 'true');
		const daemon = await findOrStartDaemon(
			{
				env: io.env,
				onStarting: () => {
					if (io.stderr.isTTY) io.stderr.write('Starting the Nearglot daemon …\n');
				},
			},
			io.signal,
		);
		// The private path: rules for callers from elsewhere (keys, virtual network) do not concern it.
		const base = '/nearglot/translator';
		const ask = async (texts: readonly string[], search: URLSearchParams) => {
			const body = texts.map((Text) => ({ Text }));
			const response = await daemon.request(
				`${base}/translate?${search}`,
				jsonRequest(body, io.signal),
			);
			return parseAnswer(await response.json());
		};
		if (document) {
			const translatorInto = (target: string): TextTranslator => ({
				detect: async (texts) => {
					const found: DetectedText[] = [];
					for (const batch of textBatches(texts, maxBatch)) {
						const body = batch.map((Text) => ({ Text }));
						const path = `${base}/detect?api-version=3.0`;
						const response = await daemon.request(path, jsonRequest(body, io.signal));
						found.push(...readDetected(await response.json(), batch.length));
					}
					return found;
				},
				translate: async (texts, source) => {
					const search = new URLSearchParams(query);
					search.set('to', target);
					search.set('from', source);
					const made: string[] = [];
					for (const batch of textBatches(texts, maxBatch))
						made.push(
							...(await ask(batch, search)).map((item) => item.translations[0]?.text ?? ''),
						);
					return made;
				},
			});
			const [to] = targets;
			const languages = from === undefined ? {} : { from };
			if (into !== undefined && to !== undefined)
				return translateInto(given, into, { to, ...languages }, translatorInto(to), io);
			const files = { path: given, out: options.text('out'), force: options.has('force') };
			return translateFile(files, { targets, ...languages }, translatorInto, io);
		}
		if (options.has('json')) {
			io.stdout.data(`${JSON.stringify(await ask([text], query), null, 2)}\n`);
			return 0;
		}
		// A long text goes in parts; with one target each part is printed as soon as it is there.
		const parts = options.has('html')
			? [text]
			: cutText(text, maxCharacters / targets.length, from ?? 'en');
		const whole = new Map<string, string>();
		let last = '';
		for (const part of parts) {
			const [answer] = await ask([part], query);
			// A long text is of one language: what its first part is in.
			if (answer?.detectedLanguage) query.set('from', answer.detectedLanguage.language);
			for (const { to, text: translated } of answer?.translations ?? []) {
				last = translated;
				if (targets.length === 1) io.stdout.data(translated);
				else whole.set(to, (whole.get(to) ?? '') + translated);
			}
		}
		if (targets.length === 1 && !last.endsWith('\n')) io.stdout.write('\n');
		for (const [to, translated] of whole)
			io.stdout.data(`${to}: ${translated}${translated.endsWith('\n') ? '' : '\n'}`);
		return 0;
	},
};

/** What a request may hold, times its targets, with room to spare. */
const maxCharacters = 40_000;
const maxBatch = { texts: 100, characters: maxCharacters };

interface Answer {
	readonly detectedLanguage?: { readonly language: string };
	readonly translations: readonly { readonly to: string; readonly text: string }[];
}

function parseAnswer(value: unknown): readonly Answer[] {
	if (!Array.isArray(value))
		throw new AppError('internal', 'The local server sent an answer that is not understood.');
	return value as readonly Answer[];
}
