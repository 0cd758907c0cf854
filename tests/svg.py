# SPDX-License-Identifier: ISC
"""svg.py panels FILE: for each panel of an SVG of pstat a line "panel TITLE", for each tooltip "cell TEXT"
svg.py boxes FILE: of each box of a flame graph "X WIDTH Y TOTAL SELF NAME", the first three in hundredths of a pixel
svg.py changes FILE: of each box of one that compares "CLASS TOTAL TOTAL_A NAME"; the class must be that of the difference
svg.py apart FILE: texts that run into another one of their line, or out of the picture, as far as one can say without the font

XML's characters are themselves.
"""
import re, sys, xml.etree.ElementTree as tree

S = '{http://www.w3.org/2000/svg}'
SHARE = r'<?[0-9.]+%'

def number(text):
    return text.replace(',', '')

def out(*words):
    sys.stdout.buffer.write((' '.join(words) + '\n').encode())

def titled(root, pattern):
    """(rectangle, match) for those whose title is of the pattern."""
    for r in root.iter(S + 'rect'):
        t = r.find(S + 'title')
        m = t is not None and re.fullmatch(pattern, t.text, re.S)
        if m:
            yield r, m

def panels(root):
    for g in root.iter(S + 'g'):
        out('panel', g.find(S + 'text').text)
        for t in g.iter(S + 'title'):
            out('cell', t.text)

def boxes(root):
    for r, m in titled(root, rf'(.*) · ([0-9,]+) (?:samples?|period) · {SHARE} · self ([0-9,]+)'):
        at = [str(round(float(r.get(k)) * 100)) for k in ('x', 'width', 'y')]
        out(*at, number(m[2]), number(m[3]), m[1].replace('\n', '\\n'))

def changes(root):
    for r, m in titled(root, rf'(.*) · ([0-9,]+) samples? · {SHARE} · self [0-9,]+ · A: ([0-9,]+), {SHARE} · ([+−])[0-9.]+ points(, noise)?'):
        how, noise = r.get('class'), m[5] is not None
        assert (how == 'd4') == noise, (how, m[0])
        assert noise or (how > 'd4') == (m[4] == '+'), (how, m[0])
        out(how, number(m[2]), number(m[3]), number(m[1]))

def apart(root):
    width = float(root.get('width'))
    for g in root.iter(S + 'g'):
        lines = []
        for t in g.findall(S + 'text'):
            how, text = t.get('class').split(), ''.join(t.itertext())
            w = len(text) * (8.0 if 'h' in how else 6.1)
            x = float(t.get('x')) - (w if 'r' in how else w / 2 if 'm' in how else 0)
            if x < -6 or x + w > width + 6:
                print('out of the picture:', text)
            for y, a, b, other in lines:
                if abs(y - float(t.get('y'))) < 7 and a < x + w and x < b:
                    print('on each other:', other, '|', text)
            lines.append((float(t.get('y')), x, x + w, text))

{'panels': panels, 'boxes': boxes, 'changes': changes, 'apart': apart}[sys.argv[1]](tree.parse(sys.argv[2]).getroot())
