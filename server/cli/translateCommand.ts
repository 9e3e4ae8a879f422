/** `nearglot translate`: text from the arguments or from standard input, or files, through the daemon. */

import { stat } from 'node:fs/promises';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { archiveTypeOf } from '../protocol/archiveTypes.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { ownTranslatorPath, translate, translationSystems } from '../protocol/routeAddresses.ts';
import { Client } from '../protocol/routeClient.ts';
import { cutText } from '../translate/cutText.ts';
import { namesLanguage } from '../translate/documents/translationPlace.ts';
import { canonicalLanguage, unknownLanguage } from '../translate/languageCodes.ts';
import { doubtfulQuality, minDocumentQuality } from '../translate/qualityEstimate.ts';
import { type ParsedArgs, readArgs } from './args.ts';
import { type CheckFormat, checkFormats } from './checkReport.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { documentTranslator, maxCharacters, type OnTexts } from './documentTranslator.ts';
import { type Meaning, meaningOf, noFile } from './namedFile.ts';
import { checkNoStandardOutput } from './outputFile.ts';
import { ProjectRecord } from './projectRecord.ts';
import { readStdin } from './readStdin.ts';
import { withSlashes } from './sourceFiles.ts';
import { translateArchive } from './translateArchive.ts';
import { translateBatch } from './translateBatch.ts';
import { translateCheck } from './translateCheck.ts';
import { translateFile, translateInto } from './translateFile.ts';
import { translateProject } from './translateProject.ts';
import { newUsedSystems, type UsedSystems } from './usedSystems.ts';

const help = `
Usage: nearglot translate [TEXT|-] --to LANGUAGE[,LANGUAGE…] [OPTIONS]
       nearglot translate FILE --to LANGUAGE[,LANGUAGE…] [--out PATH] [--force]
       nearglot translate FILE --to LANGUAGE --into TRANSLATED-FILE
       nearglot translate FOLDER|PATTERN|FILE … --to LANGUAGE[,LANGUAGE…] [--out PATTERN] [--watch]
       nearglot translate FOLDER|FILE … --into FOLDER|PATTERN [--to LANGUAGE[,LANGUAGE…]] [--watch]
       nearglot translate FOLDER|PATTERN|FILE … --to LANGUAGE[,LANGUAGE…] --batch [--out PATTERN]
       nearglot translate [FOLDER|FILE …] --check [--format text|json|sarif|github] [--accept]

Translates text with the models on this machine. Without TEXT, or with -, the text
comes from standard input. A TEXT that is the name of a file or folder here is that; the
word itself goes through standard input. Of a FILE (Markdown, HTML, AsciiDoc, rst,
ipynb, txt, srt, vtt, JSON, ARB, YAML, TOML, CSV, XLIFF, po, properties, resx, strings,
xcstrings, Android strings.xml, Qt ts, Fluent, PHP; docx, pptx, xlsx, odt, odp, ods, epub)
only the words are translated; code, placeholders, keys and times stay, and messages with
plural forms get those of the target language. Texts that cannot be translated stay as
they are and are named at the end.

In a FOLDER all files that .gitignore does not name are translated; docs/en/a.md becomes
docs/de/a.md, a.en.md a.de.md, and a.md a.de.md; of sources in another language --from fr
has a.fr.md become a.de.md. Message files that are there already get what they lack. What was done is kept in .nearglot/translations.json: the next run, also
after Ctrl+C, does what has changed and nothing else.

  --to LANGUAGE      target language, several with commas: --to de,fr
  --from LANGUAGE    source language; when not given it is detected, once for a FILE
  --html             the text is HTML: tags stay, marked content is left alone
  --system NAME      who translates: a custom system, a model, or a chat model (chat for the
                     best one here, chat:MODEL, chat:ENGINE/MODEL for one elsewhere); see:
                     nearglot systems list. --category is the same
  --tone TONE        formal, informal or neutral; chat models only
  --gender GENDER    female, male or neutral: of the people meant; chat models only
  --engine NAME      local, team or hosted: who translates, for this call
  --out PATH         where a FILE's translation goes; {lang} stands for the language, {dir},
                     {name} and {ext} for the parts of the FILE's path. Without it
                     (or with -) texts go to standard output, guide.docx becomes guide.de.docx
  --into PATH        translated message files (JSON, ARB, YAML, properties, po): only what
                     they lack, or what has changed in the source, is translated and added;
                     a file, a folder with files of all languages, or a pattern as for --out
  --batch            hand whole files to the model server, which translates them beside what
                     people ask it, also when this command has ended: the same command
                     fetches what is done
  --watch            go on, and translate again what changes
  --check            translate nothing: say which messages and files are missing, stale (the
                     source has changed) or have broken placeholders; exit code 1 if any
  --format NAME      with --check: text, json, sarif or github (annotations)
  --accept           with --check: what is there counts as up to date from now on
  --encoding NAME    of files that are not in UTF-8 and do not say what they are in
  --doubtful         also what the built-in model is not sure of, which files keep as it was
  --column NAME      of one CSV or TSV file, a column with words; again for each. Without it
                     the empty cells of the target language's column are filled
  --force            replace files that exist
  --json             the whole answer as JSON, as the translate interface gives it
  --align            with --json: which word became which
  --help             this text

Examples:
  nearglot translate "The file could not be opened." --to de
  nearglot translate README.md --to de,fr --out "README.{lang}.md"
  nearglot translate docs --to de,fr --out "i18n/{lang}/{dir}/{name}{ext}"
  nearglot translate locales/en.json --to de --into locales/de.json
  nearglot translate locales/en --into locales
  nearglot translate locales --check --format github
  git log -1 --format=%B | nearglot translate --to fr
  nearglot translate README.md --to ja --system chat --out README.ja.md
`;

/** Options that only files have. */
const ofFiles = ['out', 'into', 'encoding'];

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
			system: { type: 'string' },
			category: { type: 'string' },
			tone: { type: 'string' },
			gender: { type: 'string' },
			engine: { type: 'string' },
			out: { type: 'string' },
			into: { type: 'string' },
			force: { type: 'boolean' },
			watch: { type: 'boolean' },
			batch: { type: 'boolean' },
			check: { type: 'boolean' },
			accept: { type: 'boolean' },
			format: { type: 'string' },
			encoding: { type: 'string' },
			doubtful: { type: 'boolean' },
			column: { type: 'string', multiple: true },
		});
		const targets = options
			.texts('to')
			.flatMap((list) => list.split(','))
			.map((to) => to.trim())
			.filter((to) => to !== '');
		checkNoStandardOutput('into', options.text('into'), 'it takes a translated file');
		if (options.has('check') || options.has('batch'))
			checkNoStandardOutput('out', options.text('out'), 'several files do not go there');
		if (options.has('check')) return check(options, targets, io);
		if (options.text('format') !== undefined || options.has('accept'))
			throw new UsageError('--format and --accept go with --check.');
		if (options.has('batch')) return translateBatch(options, targets, systemOf(options), io);
		const many = await areManyFiles(options);
		if (many !== undefined) return translateMany(many, options, targets, io);
		if (targets.length === 0) throw new UsageError('Say into which language: --to de');
		return translateOne(options, targets, io);
	},
};

async function check(
	options: ParsedArgs,
	targets: readonly string[],
	io: CommandIo,
): Promise<number> {
	const given = options.text('format') ?? 'text';
	const format = checkFormats.find((one) => one === given);
	if (format === undefined)
		throw new UsageError(`--format takes ${checkFormats.join(', ')}, not '${given}'.`);
	for (const name of ['force', 'watch', 'html', 'json', 'align'])
		if (options.has(name)) throw new UsageError(`--${name} does not go with --check.`);
	if (options.texts('column').length > 0)
		throw new UsageError('--column does not go with --check.');
	const unknown = targets.find((to) => canonicalLanguage(to) === undefined);
	if (unknown !== undefined) throw new UsageError(unknownLanguage(unknown));
	const names = options.positionals.length === 0 ? ['.'] : options.positionals;
	const record = await ProjectRecord.open('.');
	return translateCheck(
		{
			...{ names, targets, format: format satisfies CheckFormat, accepts: options.has('accept') },
			...placesOf(options),
		},
		record,
		io,
	);
}

/** With the slashes that paths of sources have here, also on Windows. */
const placePattern = (options: ParsedArgs, name: 'out' | 'into'): string | undefined => {
	const given = options.text(name);
	return given === undefined ? undefined : withSlashes(given);
};

const placesOf = (options: ParsedArgs) =>
	defined({
		from: options.text('from'),
		out: placePattern(options, 'out'),
		into: placePattern(options, 'into'),
		encoding: options.text('encoding'),
	});

/** The names of files, folders and patterns; `undefined` of a text or of one file that is translated by itself. */
async function areManyFiles(options: ParsedArgs): Promise<readonly string[] | undefined> {
	const { positionals: names } = options;
	const into = options.text('into');
	const meanings: Meaning[] = [];
	for (const name of names) {
		const meaning = name === '-' ? 'text' : await meaningOf(name);
		if (meaning === 'missing') throw new AppError('not_found', noFile(name));
		meanings.push(meaning);
	}
	if (names.length > 1 && meanings.includes('text'))
		throw new UsageError('Put the text in quotes: nearglot translate "two words" --to de');
	if (options.has('watch') && (names.length === 0 || meanings.includes('text')))
		throw new UsageError('--watch goes with files and folders.');
	const intoMany =
		into !== undefined &&
		(namesLanguage(into) || (await stat(into).catch(() => undefined))?.isDirectory() === true);
	const areMany =
		names.length > 1 ||
		options.has('watch') ||
		meanings.some((one) => one !== 'text' && one !== 'file');
	if (!areMany && !(intoMany && meanings[0] === 'file')) return undefined;
	for (const name of ['html', 'json', 'align'])
		if (options.has(name)) throw new UsageError(`--${name} goes with a text.`);
	if (options.texts('column').length > 0)
		throw new UsageError('--column goes with one CSV or TSV file, and without --into.');
	checkNoStandardOutput('out', options.text('out'), 'several files do not go there');
	if (into !== undefined && options.text('out') !== undefined)
		throw new UsageError('--into and --out do not go together.');
	return names;
}

async function translateMany(
	names: readonly string[],
	options: ParsedArgs,
	targets: readonly string[],
	io: CommandIo,
): Promise<number> {
	const used = newUsedSystems();
	const ask = asking(options, targets, { isOfFiles: true, used }, io);
	const status = await translateProject(
		{
			...{ names, targets, force: options.has('force'), watch: options.has('watch') },
			doubtful: options.has('doubtful'),
			...placesOf(options),
			translators: async () => {
				const { client, query, signal } = await ask();
				return (to, onDone) => documentTranslator(to, { client, query, signal, onDone });
			},
		},
		io,
	);
	used.tell(io);
	return status;
}

/** Connects to the model server when there is something to ask. */
const asking =
	(
		options: ParsedArgs,
		targets: readonly string[],
		{ isOfFiles, used }: { readonly isOfFiles: boolean; readonly used: UsedSystems },
		io: CommandIo,
	) =>
	async () => {
		const { signal } = io;
		const query = {
			'api-version': '3.0',
			to: targets.join(','),
			from: options.text('from'),
			category: systemOf(options),
			tone: options.text('tone'),
			gender: options.text('gender'),
			engine: options.text('engine'),
			textType: options.has('html') ? 'html' : undefined,
			includeAlignment: options.has('align') ? 'true' : undefined,
			minQuality: isOfFiles && !options.has('doubtful') ? String(minDocumentQuality) : undefined,
		};
		const daemon = await findOrStartDaemon(
			{
				env: io.env,
				onStarting: () => {
					if (io.stderr.isTTY) io.stderr.write('Starting the model server …\n');
				},
			},
			signal,
		);
		const client = new Client(async (path, init) =>
			used.note(await daemon.request(ownTranslatorPath + path, init)),
		);
		// A general system stands in for what a known one has no pair of, and not for a name that is misspelt.
		const { category } = query;
		const isKnown =
			category === undefined ||
			(await daemon.call(translationSystems, {}, { signal })).systems.some(
				({ name }) => name.toLowerCase() === category.toLowerCase(),
			);
		return { client, query: { ...query, ...(isKnown ? {} : { allowFallback: 'false' }) }, signal };
	};

async function translateOne(
	options: ParsedArgs,
	targets: readonly string[],
	io: CommandIo,
): Promise<number> {
	const [given] = options.positionals;
	const isFile = given !== undefined && given !== '-' && (await meaningOf(given)) === 'file';
	const into = options.text('into');
	for (const name of ['html', 'json', 'align'])
		if (isFile && options.has(name)) throw new UsageError(`--${name} goes with a text.`);
	if (options.has('align') && !options.has('json'))
		throw new UsageError('--align goes with --json, which shows it.');
	const isOfFiles = ofFiles.some((name) => options.text(name) !== undefined);
	if (!isFile && (isOfFiles || options.has('force')))
		throw new UsageError('--out, --into, --encoding and --force go with files.');
	if (into !== undefined && (targets.length > 1 || options.text('out') !== undefined))
		throw new UsageError('--into takes one language and no --out.');
	const columns = options.texts('column');
	if (columns.length > 0 && (!isFile || into !== undefined || !/\.[ct]sv$/i.test(given)))
		throw new UsageError('--column goes with one CSV or TSV file, and without --into.');
	const from = options.text('from');
	const used = newUsedSystems();
	if (isFile) {
		const { client, query, signal } = await asking(
			options,
			targets,
			{ isOfFiles: true, used },
			io,
		)();
		const translatorInto = (to: string, onDone?: OnTexts) =>
			documentTranslator(to, { client, query, signal, ...defined({ onDone }) });
		const [to] = targets;
		const languages = defined({ from });
		const encoding = options.text('encoding');
		const translated = (): Promise<number> => {
			if (into !== undefined && to !== undefined) {
				const files = { path: given, target: into, ...defined({ encoding }) };
				return translateInto(files, { to, ...languages }, translatorInto, io);
			}
			const files = {
				...{ path: given, out: options.text('out'), force: options.has('force') },
				...defined({ encoding, columns: columns.length > 0 ? columns : undefined }),
			};
			const translateWhole = archiveTypeOf(given) === undefined ? translateFile : translateArchive;
			return translateWhole(files, { targets, ...languages }, translatorInto, io);
		};
		const status = await translated();
		used.tell(io);
		return status;
	}
	const text = given === undefined || given === '-' ? await readStdin(io.stdin) : given;
	if (text.trim() === '') throw new UsageError('There is no text to translate.');
	const status = await translateText(text, options, targets, used, io);
	if (systemOf(options) !== undefined) used.tell(io);
	return status;
}

async function translateText(
	text: string,
	options: ParsedArgs,
	targets: readonly string[],
	used: UsedSystems,
	io: CommandIo,
): Promise<number> {
	const from = options.text('from');
	const { client, query, signal } = await asking(
		options,
		targets,
		{ isOfFiles: false, used },
		io,
	)();
	const ask = async (one: string, source: string | undefined) => {
		const includeQuality = options.has('json') ? undefined : 'true';
		const input = { query: { ...query, from: source, includeQuality }, body: [{ Text: one }] };
		return client.call(translate, input, { signal });
	};
	if (options.has('json')) {
		io.stdout.data(`${JSON.stringify(await ask(text, from), null, 2)}\n`);
		return 0;
	}
	// A long text goes in parts; with one target each part is printed as soon as it is there.
	const parts = options.has('html')
		? [text]
		: cutText(text, maxCharacters / targets.length, from ?? 'en');
	const whole = new Map<string, string>();
	const doubtful = new Set<string>();
	let last = '';
	let source = from;
	for (const part of parts) {
		const [answer] = await ask(part, source);
		// A long text is of one language: what its first part is in.
		source = answer?.detectedLanguage?.language ?? source;
		for (const { to, text: translated, quality = 1 } of answer?.translations ?? []) {
			if (quality < doubtfulQuality) doubtful.add(to);
			last = translated;
			if (targets.length === 1) io.stdout.data(translated);
			else whole.set(to, (whole.get(to) ?? '') + translated);
		}
	}
	if (targets.length === 1 && !last.endsWith('\n')) io.stdout.write('\n');
	for (const [to, translated] of whole)
		io.stdout.data(`${to}: ${translated}${translated.endsWith('\n') ? '' : '\n'}`);
	for (const to of doubtful)
		io.stderr.write(`The model is not sure of this (${to}): read it before use.\n`);
	return 0;
}

/** `--system` is what requests call a category; either name will do. */
function systemOf(options: ParsedArgs): string | undefined {
	const [system, category] = [options.text('system'), options.text('category')];
	if (system !== undefined && category !== undefined && system !== category)
		throw new UsageError('--system and --category are the same; give one of them.');
	return system ?? category;
}
