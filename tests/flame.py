# SPDX-License-Identifier: ISC
"""flame.py windows FILE DIR: the functions of the page in windows of time, beside those of the samples that its commands cut
flame.py rest FILE FOLDED: what the page says of searches and of leaves, beside the folded stacks
flame.py data PAGE: what the page has of call chains, examined; of each bin a line "FIRST-COLUMN COLUMNS SAMPLES"

It runs pstat and the page's commands where the recording is.
"""
import base64, json, re, subprocess, sys

def stacks(lines):
    """(frames without the comm, count) of folded stacks; what is idle is not in the page."""
    for line in lines.splitlines():
        words, n = line.rsplit(' ', 1)
        comm, *frames = words.split(';')
        if comm != 'swapper':
            yield comm, frames, int(n)

def functions(all):
    own, total = {}, {}
    for comm, frames, n in all:
        if frames:
            own[frames[-1]] = own.get(frames[-1], 0) + n
        for f in set(frames):
            total[f] = total.get(f, 0) + n
    return {f: (own.get(f, 0), n) for f, n in total.items()}

def number(text):
    return int(re.search(r'([0-9,]+) samples?\b', text)[1].replace(',', ''))

def windows(path, dir):
    checked = 0
    for command, head, rows in json.load(open(path)):
        subprocess.run(['sh', '-c', command], check=True, stderr=subprocess.DEVNULL)
        folded = subprocess.run(['pstat', '-q', '--symbols', dir, '--folded', 'selected.data'], stdout=subprocess.PIPE, check=True, text=True).stdout
        all = list(stacks(folded))
        want, have = functions(all), {}
        for name, own, n in rows:	# of user and kernel there are different ones of a name
            have.setdefault(name, []).append((int(own), int(n)))
        assert number(head) == sum(n for _, _, n in all), (command, head, sum(n for _, _, n in all))
        assert len(have) == len(want) or len(rows) == 200, (command, set(have) ^ set(want))
        for name, x in have.items():
            own, n = want[name]
            assert sum(o for o, _ in x) == own and max(m for _, m in x) <= n <= sum(m for _, m in x), (command, name, x, own, n)
        checked += sum(own for own, _ in want.values()) > 0
    assert checked > 5, f'only {checked} windows have samples'

def rest(path, folded):
    page, all = json.load(open(path)), list(stacks(open(folded).read()))
    of = sum(n for _, _, n in all)
    def found(test):
        n = sum(n for comm, frames, n in all if any(test(f) for f in [comm, *frames]))
        return n, f'{n / of * 100:.1f}%'
    def said(text):
        return number(text), text.split(', ')[-1]
    assert said(page['text']) == found(lambda f: 'leaf' in f.lower()), (page['text'], found(lambda f: 'leaf' in f.lower()))
    assert said(page['expression']) == found(lambda f: f in ('leaf', 'late')), page['expression']
    assert page['hits'] == 1 and page['wrong'] == 'that is no expression' and page['none'] == 'in 0 samples, 0.0%', page
    own = functions(all)
    top = max(own, key=lambda f: own[f])
    assert page['clicked'][0].replace('\\', '') == f'/^{top}$/' and number(page['clicked'][1]) == own[top][1] and page['clicked'][2], page['clicked']
    assert page['unclicked'] == '', page['unclicked']
    # leaves first: the heaviest one, and of that the heaviest caller
    callers = {}
    for comm, frames, n in all:
        if frames and frames[-1] == top:
            before = frames[-2] if len(frames) > 1 else comm
            callers[before] = callers.get(before, 0) + n
    by = max(callers, key=lambda f: callers[f])
    assert page['leaf'].startswith(top + ' · ') and number(page['leaf']) == own[top][0], (page['leaf'], own[top])
    assert page['caller'].startswith(by + ' · ') and number(page['caller']) == callers[by], (page['caller'], callers)
    assert re.fullmatch(r'#select=inverted:\d+\.\d+', page['inverted'][0]) and page['again'] == [True, 'true', f"all › {top.split('::')[-1]} › {by}"], page['again']
    assert page['comm'][0] == 'all › two' and ' --comms two ' in page['comm'][1] and page['comm'][2] == '#select=comm:two', page['comm']
    assert page['uncomm'] == ['', ''] and page['labels'] == 0 and page['inner'], page

def numbers(text):
    n = shift = 0
    for byte in base64.b64decode(text, validate=True):
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield n
            n = shift = 0
    assert not shift

def data(path):
    text = re.search(r'<script type="application/json" id="chains-data">(.*?)</script>', open(path).read(), re.S)[1]
    page = json.loads(text)
    assert len(text) <= 8 << 20 and page['nodes'] <= 131072 and len(page['names']) == len(page['kinds']), (len(text), page['nodes'])
    tree, times = numbers(page['tree']), numbers(page['times'])
    children, used = [set()], {0}
    for i in range(1, page['nodes']):
        up, name = i - next(tree), next(tree)
        assert 0 <= up < i and 0 <= name < len(page['names']) and name not in children[up], 'a child twice'
        children[up].add(name)
        children.append(set())
        used.add(name)
    assert next(tree, None) is None and len(used) == len(page['names'])
    column = pairs = 0
    for _ in range(page['bins']):
        columns, n, node, sum = next(times), next(times), 0, 0
        for i in range(n):
            step = next(times)
            node += step
            assert (step or not i) and node < page['nodes'], 'a node twice'
            sum += next(times)
        print(column, columns, sum)
        column += columns
        pairs += n
    assert next(times, None) is None and pairs == page['pairs']

{'data': data, 'windows': windows, 'rest': rest}[sys.argv[1]](*sys.argv[2:])
