import sys,statistics as st
g=sys.argv[1]
def rd(f):
    d={}
    for l in open(f):
        *k,v=l.split()
        if len(k)==7: d[tuple(k)]=float(v)
    return d
a,b=rd(f'p.{g}.base'),rd(f'p.{g}.new')
for told in '10','true false':
    pass
ks=[k for k in a if k in b]
tv=sorted({k[5] for k in ks})
for t in tv:
    for loss in sorted({k[2] for k in ks}):
        cells={}
        for k in ks:
            if k[5]==t and k[2]==loss: cells.setdefault(k[:5],[]).append(b[k]/a[k]-1)
        if not cells: continue
        m={c:st.mean(v) for c,v in cells.items()}
        allv=[100*x for v in cells.values() for x in v]
        w=max(m,key=m.get)
        print('told' if t in('true','1') else 'found',loss,'cells',len(m),'mean %.2f sd %.2f %%'%(st.mean(allv),st.pstdev(allv)),'worst %.2f'%(100*m[w]),w,['%.2f'%(100*x) for x in cells[w]],'best %.2f'%(100*min(m.values())))
