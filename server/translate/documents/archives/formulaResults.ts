/**
 * Results of formulas that a spreadsheet keeps. Those that are texts say what cells said before they were translated, so
 * that they go, and whatever opens the file calculates them anew.
 */

import { applyEdits } from '../edits.ts';
import {
	childElements,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	xmlAttribute,
	xmlAttributes,
} from '../xmlTree.ts';

const formula = /<(?:\w{1,20}:)?f[\s>]/;

/** Whether a sheet has formulas. */
export const hasFormulas = (sheet: string): boolean => formula.test(sheet);

/** A sheet without results that are texts. */
export function withoutTextResults(sheet: string): string {
	if (!hasFormulas(sheet) || !/\st="str"/.test(sheet)) return sheet;
	const results = [...elementsIn(readXml(sheet))].flatMap((cell) => {
		if (localName(cell) !== 'c' || xmlAttribute(sheet, cell, 't') !== 'str') return [];
		const [own, result] = [childOf(cell, 'f'), childOf(cell, 'v')];
		return own && result ? [{ start: result.start, end: result.end, text: '' }] : [];
	});
	return applyEdits(sheet, results).text;
}

/** The content of an OpenDocument sheet without results that are texts. */
export function withoutOpenTextResults(content: string): string {
	if (!/\btable:formula=/.test(content)) return content;
	const results = [...elementsIn(readXml(content))].flatMap((cell) => {
		const attributes = localName(cell) === 'table-cell' ? xmlAttributes(content, cell) : [];
		const has = (name: string) => attributes.some((one) => one.name === name);
		const isText = attributes.some(
			({ name, value }) => name === 'office:value-type' && value === 'string',
		);
		if (!isText || !has('table:formula')) return [];
		const paragraphs = childElements(cell).filter((child) => localName(child) === 'p');
		const said = paragraphs.map(({ start, end }) => ({ start, end, text: '' }));
		const kept = attributes.find(({ name }) => name === 'office:string-value');
		// It goes with the blank before its name, the equals sign and both quotation marks.
		if (!kept) return said;
		const from = content.lastIndexOf(kept.name, kept.start) - 1;
		return [{ start: from, end: kept.end + 1, text: '' }, ...said];
	});
	return applyEdits(content, results).text;
}

/** A workbook that is calculated when it is opened. */
export function calculatedOnLoad(workbook: string): string {
	const [root] = childElements(readXml(workbook));
	if (!root) return workbook;
	const found = childElements(root).find((element) => localName(element) === 'calcPr');
	const prefix = root.name.slice(0, -localName(root).length);
	if (found === undefined) {
		const before = childElements(root).findLast((element) => preceding.has(localName(element)));
		const at = before?.end ?? root.content;
		const text = `<${prefix}calcPr fullCalcOnLoad="1"/>`;
		return applyEdits(workbook, [{ start: at, end: at, text }]).text;
	}
	const tag = workbook
		.slice(found.start, found.content)
		.replace(/\sfullCalcOnLoad\s*=\s*(?:"[^"]*"|'[^']*')/, '')
		.replace(/^<[^\s/>]+/, '$& fullCalcOnLoad="1"');
	return applyEdits(workbook, [{ start: found.start, end: found.content, text: tag }]).text;
}

/** What stands in front of how a workbook is calculated. */
const preceding = new Set([
	...['fileVersion', 'fileSharing', 'workbookPr', 'workbookProtection', 'bookViews'],
	...['sheets', 'functionGroups', 'externalReferences', 'definedNames'],
]);

const childOf = (element: XmlElement, name: string): XmlElement | undefined =>
	childElements(element).find((child) => localName(child) === name);
