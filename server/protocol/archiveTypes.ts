/** Documents that are zip files, by the endings of their names. */

const openXml = 'application/vnd.openxmlformats-officedocument';
const withMacros = (program: string) => `application/vnd.ms-${program}.macroEnabled.12`;
const open = 'application/vnd.oasis.opendocument';

/** File name ending (without the dot) → media type. */
const archiveTypes = {
	docm: withMacros('word.document'),
	docx: `${openXml}.wordprocessingml.document`,
	dotx: `${openXml}.wordprocessingml.template`,
	epub: 'application/epub+zip',
	odp: `${open}.presentation`,
	ods: `${open}.spreadsheet`,
	odt: `${open}.text`,
	otp: `${open}.presentation-template`,
	ots: `${open}.spreadsheet-template`,
	ott: `${open}.text-template`,
	potx: `${openXml}.presentationml.template`,
	ppsx: `${openXml}.presentationml.slideshow`,
	pptm: withMacros('powerpoint.presentation'),
	pptx: `${openXml}.presentationml.presentation`,
	xlsm: withMacros('excel.sheet'),
	xlsx: `${openXml}.spreadsheetml.sheet`,
	xltx: `${openXml}.spreadsheetml.template`,
} as const;

/** Size of such a file, pictures included. */
export const maxArchiveBytes = 64 * 2 ** 20;

export type ArchiveEnding = keyof typeof archiveTypes;

export const archiveEndings = Object.keys(archiveTypes) as readonly ArchiveEnding[];

/** The ending of a file's name, when it is one of these. */
export function archiveEndingOf(fileName: string): ArchiveEnding | undefined {
	const ending = /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase();
	return archiveEndings.find((one) => one === ending);
}

/** Media type of a document that is a zip file, by its name; `undefined` of any other file. */
export function archiveTypeOf(fileName: string): string | undefined {
	const ending = archiveEndingOf(fileName);
	return ending && archiveTypes[ending];
}
