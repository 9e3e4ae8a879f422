/** Sources of patterns for marks that a letter follows, or that stand in a text by other names. */

/** After a conversion of printf: a unit that is written without a blank, `%dpx`, `%sms`. */
export const unitAhead =
	'(?=(?:px|pt|em|dp|sp|ms|min|sec|[smhd]|[kKMGT]i?[Bb]|[BkKMG]|fps|k?Hz|km|cm|mm|kg|st|nd|rd|th|x)(?![A-Za-z]))';

/** Tags of HTML whose brackets are written as references, as in strings that a program makes HTML of. */
export const spelledTag =
	'&lt;\\/?(?:a|audio|b|big|blockquote|body|br|button|canvas|cite|code|div|em|embed|font|form|h[1-6]|head|html|i|iframe|img|input|li|link|meta|object|ol|option|p|script|select|small|span|strike|strong|style|sub|sup|table|td|textarea|th|tr|tt|u|ul|video)(?:\\s[^<>&\\n]{0,200})?\\/?(?:&gt;|>)';
